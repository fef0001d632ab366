export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button")
  button.textContent = data.label
  button.classList.toggle("plain", !data.frame)
  button.setAttribute("aria-live", "polite")
  const copy = () => { // without leave to write to the clipboard, as on a server without HTTPS
    const field = document.createElement("textarea")
    field.value = data.text
    document.body.append(field)
    field.select()
    document.execCommand("copy")
    field.remove()
    button.focus()
  }
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(data.text) } catch { copy() }
    button.textContent = "Copied"
    setTimeout(() => { button.textContent = data.label }, 2000)
  }
}
