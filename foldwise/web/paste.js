export default function ({ setTriggerValue }) {
  const pasted = (event) => {
    if (event.target.closest("input, textarea, [contenteditable=true]")) return
    const files = event.clipboardData.files
    const zone = document.querySelector("[data-testid=stFileUploaderDropzone] input[type=file]")
    if (files.length && zone) {
      zone.files = files
      zone.dispatchEvent(new Event("change", { bubbles: true }))
      return
    }
    const text = event.clipboardData.getData("text/plain")
    if (text.trim().includes("\n")) setTriggerValue("text", text)
  }
  document.addEventListener("paste", pasted)
  return () => document.removeEventListener("paste", pasted)
}
