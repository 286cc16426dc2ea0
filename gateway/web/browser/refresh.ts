// Keeps parts of a page up to date: fetches them repeatedly, and replaces what has changed. In a part with
// slots (`data-slot`), only the slots are replaced. Pauses while the page is hidden, and does not replace
// what the user is typing in, or has opened or closed.
import { debounce } from './shared/dom.ts'

for (const part of document.querySelectorAll<HTMLElement>('[data-refresh]')) {
  keepUpToDate(part)
  new MutationObserver(reloadIfReady).observe(part, { childList: true, subtree: true })
}
reloadIfReady()

/** Reloads the page once what a part waits for is ready, if the part requires a new page to show it. */
function reloadIfReady() {
  if (document.querySelector('[data-refresh] [data-reload]')) location.reload()
}

function keepUpToDate(part: HTMLElement) {
  const everyMs = Number(part.dataset.every) * 1000
  const shown = new WeakMap<Element, string>()
  let etag = ''
  let requestNumber = 0
  const { later, cancel } = debounce(everyMs, refresh)
  for (const element of [part, ...listSlots(part)]) shown.set(element, element.innerHTML)
  // Other scripts may change what is shown, and ask for a refresh at once.
  part.addEventListener('refresh', () => {
    cancel()
    part.setAttribute('aria-busy', 'true')
    refresh()
  })
  later()

  async function refresh() {
    if (document.hidden) return document.addEventListener('visibilitychange', refresh, { once: true })
    const request = ++requestNumber
    let againMs = everyMs
    try {
      const headers: HeadersInit = etag ? { 'If-None-Match': etag } : {}
      const answer = await fetch(part.dataset.refresh ?? '', { redirect: 'error', headers })
      // If the session has ended, the reloaded page redirects to the sign-in page, which leads back here.
      if (answer.status === 401) return location.reload()
      const text = await answer.text()
      // The user has requested something else in the meantime.
      if (request !== requestNumber) return
      part.removeAttribute('aria-busy')
      // A response that was cached for another viewer says how soon to ask again. This is sooner than usual.
      againMs = Number(answer.headers.get('Ask-Again-In-Ms')) || everyMs
      if (answer.ok && replaceAll(text)) etag = answer.headers.get('ETag') ?? ''
      part.toggleAttribute('data-stale', !answer.ok && answer.status !== 304)
    } catch {
      if (request !== requestNumber) return
      part.removeAttribute('aria-busy')
      part.toggleAttribute('data-stale', true)
    }
    later(againMs)
  }

  /** Returns false if the user is typing in a part, which is then left unchanged. */
  function replaceAll(text: string): boolean {
    const slots = listSlots(part)
    if (slots.length === 0) return replace(part, text)
    const answer = document.createElement('template')
    answer.innerHTML = text
    const fresh = new Map(listSlots(answer.content).map((slot) => [slot.dataset.slot, slot.innerHTML]))
    return slots.map((slot) => replace(slot, fresh.get(slot.dataset.slot) ?? '')).every(Boolean)
  }

  function replace(element: HTMLElement, text: string): boolean {
    if (text === shown.get(element)) return true
    if (element.querySelector(':is(input, textarea, select):focus')) return false
    const focused = element.contains(document.activeElement)
      ? createSelector(document.activeElement)
      : undefined
    const scrolled = listScrolls(element).map(({ scrollLeft, scrollTop }) => ({
      left: scrollLeft,
      top: scrollTop,
    }))
    const date = findDate(element)
    const open = new Map(listDetails(element).map(([key, details]) => [key, details.open]))
    element.innerHTML = text
    shown.set(element, text)
    for (const [key, details] of listDetails(element)) details.open = open.get(key) ?? details.open
    for (const [index, box] of listScrolls(element).entries()) box.scrollTo(scrolled[index])
    // Reloads the page if the day has changed, because its other parts still show the previous day.
    if (date !== undefined && date !== findDate(element)) location.reload()
    if (focused) element.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true })
    return true
  }
}

function listSlots(parent: ParentNode): HTMLElement[] {
  return [...parent.querySelectorAll<HTMLElement>('[data-slot]')]
}

const findDate = (element: Element) => element.querySelector<HTMLElement>('[data-date]')?.dataset.date

const listScrolls = (element: Element) => [...element.querySelectorAll<HTMLElement>('.scroll')]

const listDetails = (element: Element) =>
  [...element.querySelectorAll('details')].map((details, index) => [details.id || index, details] as const)

/** Returns a selector that finds the focused element again after a refresh. */
function createSelector(element: Element | null): string | undefined {
  if (element?.id) return `#${CSS.escape(element.id)}`
  const address = element?.getAttribute('href')
  return address ? `[href="${CSS.escape(address)}"]` : undefined
}
