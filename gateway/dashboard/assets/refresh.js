// @ts-check
// Keeps parts of a page up to date: fetches them again and again, and swaps in what has changed. A part with slots
// (`data-slot`) keeps its frame, and has only these renewed. It rests while nobody looks, and leaves alone where somebody is
// typing.

for (const part of document.querySelectorAll('[data-refresh]')) keepFresh(/** @type {HTMLElement} */ (part))

/** @param {HTMLElement} part */
function keepFresh(part) {
  const everyMs = Number(part.dataset.every) * 1000
  /** @type {WeakMap<Element, string>} */
  const shown = new WeakMap()
  let etag = ''
  let asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  for (const element of [part, ...slotsOf(part)]) shown.set(element, element.innerHTML)

  /** @param {number} ms */
  const wait = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(look, ms)
  }
  const look = async () => {
    if (document.hidden) return document.addEventListener('visibilitychange', look, { once: true })
    const own = ++asked
    let againMs = everyMs
    try {
      const answer = await fetch(part.dataset.refresh ?? '', {
        redirect: 'error',
        headers: etag ? { 'If-None-Match': etag } : {},
      })
      // Signed out: the whole page leads to signing in, and back here.
      if (answer.status === 401) return location.reload()
      const text = await answer.text()
      // Somebody has asked for something else meanwhile.
      if (own !== asked) return
      // What was found for somebody else a moment ago is renewed that much sooner.
      againMs = Number(answer.headers.get('Ask-Again-In-Ms')) || everyMs
      const isUnchanged = answer.status === 304
      if (answer.ok && swapAll(text)) etag = answer.headers.get('ETag') ?? ''
      part.toggleAttribute('data-stale', !answer.ok && !isUnchanged)
    } catch {
      if (own !== asked) return
      part.toggleAttribute('data-stale', true)
    }
    return wait(againMs)
  }
  // Other scripts may change what is shown, and ask for it at once.
  part.addEventListener('refresh', () => {
    clearTimeout(timer)
    look()
  })

  /**
   * False where something was left as it is.
   * @param {string} text
   */
  const swapAll = (text) => {
    const slots = slotsOf(part)
    if (slots.length === 0) return swap(part, text)
    const answer = document.createElement('template')
    answer.innerHTML = text
    const fresh = new Map(slotsOf(answer.content).map((slot) => [slot.dataset.slot, slot.innerHTML]))
    return slots.map((slot) => swap(slot, fresh.get(slot.dataset.slot) ?? '')).every(Boolean)
  }
  /**
   * @param {HTMLElement} element
   * @param {string} text
   */
  const swap = (element, text) => {
    if (text === shown.get(element)) return true
    if (element.querySelector(':is(input, textarea, select):focus')) return false
    const focused = element.contains(document.activeElement) ? addressOf(document.activeElement) : undefined
    const open = [...element.querySelectorAll('details')].map((details) => details.open)
    element.innerHTML = text
    shown.set(element, text)
    for (const [index, details] of element.querySelectorAll('details').entries()) {
      if (open[index]) details.open = true
    }
    if (focused)
      /** @type {HTMLElement | null} */ (element.querySelector(focused))?.focus({ preventScroll: true })
    return true
  }
  wait(everyMs)
}

/**
 * @param {ParentNode} parent
 * @returns {HTMLElement[]}
 */
function slotsOf(parent) {
  return [...parent.querySelectorAll('[data-slot]')].filter((slot) => slot instanceof HTMLElement)
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
