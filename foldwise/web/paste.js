export default function ({ setTriggerValue }) {
  const zone = "[data-testid=stFileUploaderDropzone]"
  const open = (files) => {
    const field = document.querySelector(`${zone} input[type=file]`)
    field.files = files
    field.dispatchEvent(new Event("change", { bubbles: true }))
  }
  const pasted = (event) => {
    if (event.target.closest("input, textarea, [contenteditable=true]")) return
    if (event.clipboardData.files.length && document.querySelector(zone)) return open(event.clipboardData.files)
    const text = event.clipboardData.getData("text/plain")
    if (text.trim().includes("\n")) setTriggerValue("text", text)
  }
  const dragged = (event) => {
    if (!event.dataTransfer?.types.includes("Files") || !document.querySelector(zone)) return
    const over = event.type === "dragover"
    document.documentElement.toggleAttribute("data-dragging", over || (event.type === "dragleave" && event.relatedTarget))
    if (event.type === "dragleave" || event.target.closest?.(zone)) return // the zone takes what is dropped on it
    event.preventDefault()
    if (!over) open(event.dataTransfer.files)
  }
  const listeners = Object.entries({ paste: pasted, dragover: dragged, dragleave: dragged, drop: dragged })
  listeners.forEach(([name, act]) => document.addEventListener(name, act))
  return () => listeners.forEach(([name, act]) => document.removeEventListener(name, act))
}
