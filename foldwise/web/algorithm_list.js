// the parser closes the element
const EYE = '<svg aria-hidden="true" viewBox="0 0 16 16"><path d="M1 8q7-10 14 0q-7 10-14 0Z"/><circle cx="8" cy="8" r="2"/>'

export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ul")
  const act = (action, name, value) => setTriggerValue("action", { action, name, value: value ?? "" })
  const button = (className, text, label, pressed, press) => {
    const made = document.createElement("button")
    Object.assign(made, { type: "button", className, textContent: text, title: label, onclick: press })
    made.setAttribute("aria-label", label)
    if (pressed !== null) made.setAttribute("aria-pressed", pressed)
    return made
  }
  const rename = (row, item) => {
    const field = document.createElement("input")
    field.value = item.name
    field.setAttribute("aria-label", data.words.rename.replace("{}", item.name))
    const end = (keep) => {
      field.onblur = null
      if (keep && field.value.trim() && field.value !== item.name) act("rename", item.name, field.value.trim())
      draw()
    }
    field.onkeydown = (event) => {
      if (event.key === "Enter") end(true)
      if (event.key === "Escape") end(false)
      event.stopPropagation()
    }
    field.onblur = () => end(true)
    row.querySelector(".name").replaceWith(field)
    field.focus()
    field.select()
  }
  const draw = () => {
    list.replaceChildren(...data.items.map((item) => {
      const row = document.createElement("li")
      row.className = item.out ? "out" : ""
      const dot = document.createElement("span")
      dot.className = "dot"
      dot.style.background = item.color
      const words = (key) => data.words[key].replace("{}", item.name)
      const name = button("name", item.name, words("select"), item.selected, () => act("select", item.name))
      name.ondblclick = () => rename(row, item)
      name.onkeydown = (event) => { if (event.key === "F2") rename(row, item) }
      row.append(dot, name)
      if (data.starred) {
        row.append(button("star", item.control ? "★" : "☆", words("star"), item.control, () => act("star", item.name)))
      }
      row.append(button("pen", "✎", words("rename"), null, () => rename(row, item)))
      if (data.can_leave_out) {
        row.append(button("eye", "", words("eye"), item.out, () => act("eye", item.name)))
        row.lastChild.innerHTML = EYE + (item.out ? '<path d="M2 14 14 2"/>' : "")
      }
      return row
    }))
  }
  draw()
}
