export default function ({ setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]")
  let shown = getComputedStyle(app).colorScheme
  const watch = new MutationObserver(() => {
    const scheme = getComputedStyle(app).colorScheme
    if (scheme !== shown) setTriggerValue("scheme", (shown = scheme))
  })
  watch.observe(app, { attributes: true })
  return () => watch.disconnect()
}
