export default function ({ data, setStateValue, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]")
  let shown = getComputedStyle(app).colorScheme
  const watch = new MutationObserver(() => {
    const scheme = getComputedStyle(app).colorScheme
    if (scheme !== shown) setTriggerValue("scheme", (shown = scheme))
  })
  watch.observe(app, { attributes: true })
  // Width in px that page.css leaves to figures in a narrow window, in steps, so that few windows need a new drawing
  let sent = data
  const measure = () => {
    const room = innerWidth > 640 ? 0 : Math.max(300, Math.floor((innerWidth - 32) / 20) * 20)
    if (room !== sent) setStateValue("room", (sent = room))
  }
  measure()
  addEventListener("resize", measure)
  // A file dropped on a page without a drop zone would open in place of the app
  const refuse = (event) => {
    if (!event.dataTransfer?.types.includes("Files") || document.querySelector("[data-testid=stFileUploaderDropzone]")) return
    event.preventDefault()
    event.dataTransfer.dropEffect = "none"
  }
  const events = ["dragover", "drop"]
  events.forEach((name) => document.addEventListener(name, refuse))
  return () => {
    watch.disconnect()
    removeEventListener("resize", measure)
    events.forEach((name) => document.removeEventListener(name, refuse))
  }
}
