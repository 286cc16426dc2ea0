// @ts-check
// Keeps parts of a page up to date: fetches them again and again, and swaps in what has changed. It rests while nobody
// looks, and leaves alone where somebody is typing.

for (const part of document.querySelectorAll('[data-refresh]')) keepFresh(/** @type {HTMLElement} */ (part))

/** @param {HTMLElement} part */
function keepFresh(part) {
  const everyMs = Number(part.dataset.every) * 1000
  let shown = part.innerHTML
  let asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(look, everyMs)
  }
  const look = async () => {
    if (document.hidden) return document.addEventListener('visibilitychange', look, { once: true })
    const own = ++asked
    try {
      const answer = await fetch(part.dataset.refresh ?? '', { redirect: 'error' })
      // Signed out: the whole page leads to signing in, and back here.
      if (answer.status === 401) return location.reload()
      const text = await answer.text()
      // Somebody has asked for something else meanwhile.
      if (own !== asked) return
      if (answer.ok) swap(text)
      part.toggleAttribute('data-stale', !answer.ok)
    } catch {
      if (own !== asked) return
      part.toggleAttribute('data-stale', true)
    }
    return wait()
  }
  // Other scripts may change what is shown, and ask for it at once.
  part.addEventListener('refresh', () => {
    clearTimeout(timer)
    look()
  })
  /** @param {string} text */
  const swap = (text) => {
    if (text === shown || part.querySelector(':is(input, textarea, select):focus')) return
    const focused = part.contains(document.activeElement) ? addressOf(document.activeElement) : undefined
    const open = [...part.querySelectorAll('details')].map((details) => details.open)
    part.innerHTML = text
    shown = text
    for (const [index, details] of part.querySelectorAll('details').entries()) {
      if (open[index]) details.open = true
    }
    if (focused)
      /** @type {HTMLElement | null} */ (part.querySelector(focused))?.focus({ preventScroll: true })
  }
  wait()
}

/**
 * How the element that had the focus is found again.
 * @param {Element | null} element
 */
function addressOf(element) {
  if (element?.id) return `#${CSS.escape(element.id)}`
  const address = element?.getAttribute('href')
  return address ? `[href="${CSS.escape(address)}"]` : undefined
}
