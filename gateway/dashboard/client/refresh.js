// @ts-check
// Keeps parts of a page up to date: fetches them repeatedly, and replaces what has changed. In a part with
// slots (`data-slot`) only these are replaced. Pauses while the page is hidden, and leaves alone what the
// user is typing in.

for (const part of document.querySelectorAll('[data-refresh]')) keepFresh(/** @type {HTMLElement} */ (part))

/** @param {HTMLElement} part */
function keepFresh(part) {
  const everyMs = Number(part.dataset.every) * 1000
  /** @type {WeakMap<Element, string>} */
  const shown = new WeakMap()
  let etag = ''
  let requestNumber = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  for (const element of [part, ...slotsOf(part)]) shown.set(element, element.innerHTML)

  /** @param {number} ms */
  const wait = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(refresh, ms)
  }
  const refresh = async () => {
    if (document.hidden) return document.addEventListener('visibilitychange', refresh, { once: true })
    const request = ++requestNumber
    let againMs = everyMs
    try {
      const answer = await fetch(part.dataset.refresh ?? '', {
        redirect: 'error',
        headers: etag ? { 'If-None-Match': etag } : {},
      })
      // If the session has ended, the whole page leads to signing in and back here.
      if (answer.status === 401) return location.reload()
      const text = await answer.text()
      // The user has requested something else meanwhile.
      if (request !== requestNumber) return
      // An answer that was cached for another viewer is refreshed that much sooner.
      againMs = Number(answer.headers.get('Ask-Again-In-Ms')) || everyMs
      const isUnchanged = answer.status === 304
      if (answer.ok && swapAll(text)) etag = answer.headers.get('ETag') ?? ''
      part.toggleAttribute('data-stale', !answer.ok && !isUnchanged)
    } catch {
      if (request !== requestNumber) return
      part.toggleAttribute('data-stale', true)
    }
    return wait(againMs)
  }
  // Other scripts may change what is shown, and request it at once.
  part.addEventListener('refresh', () => {
    clearTimeout(timer)
    refresh()
  })

  /**
   * False if something was left unchanged because the user is typing in it.
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
 * A selector that finds the focused element again.
 * @param {Element | null} element
 */
function addressOf(element) {
  if (element?.id) return `#${CSS.escape(element.id)}`
  const address = element?.getAttribute('href')
  return address ? `[href="${CSS.escape(address)}"]` : undefined
}
