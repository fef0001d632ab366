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
  return () => {
    watch.disconnect()
    removeEventListener("resize", measure)
  }
}
