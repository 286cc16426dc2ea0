// Helpers that several scripts use: for events, addresses, requests, and the Tab order of cells.
import { t } from './translate.ts'

export type Point = { x: number; y: number }
type FocusableCell = HTMLElement | SVGElement

export const ARROW_DIRECTIONS: Record<string, [across: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
// The size limit of requests that the browser finishes after the user leaves the page.
const KEPT_ALIVE_BYTES_MAX = 60_000

export function closestElement<Found extends Element = HTMLElement>(
  { target }: Event,
  selector: string,
): Found | null {
  return target instanceof Element ? target.closest<Found>(selector) : null
}

/** Returns whether the key belongs to a shortcut of the browser or the system. */
export const hasShortcutModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey

/** Returns whether the click opens a link in another tab or window. */
export const hasNewTabModifier = ({ ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  ctrlKey || metaKey || shiftKey

export const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

export function setAttributes(element: Element, values: Record<string, string | number>) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value))
}

export function createSvg<Name extends keyof SVGElementTagNameMap>(name: Name): SVGElementTagNameMap[Name] {
  return document.createElementNS('http://www.w3.org/2000/svg', name)
}

/** Shows a sentence in a notice of the page. */
export function announceToScreenReaders(notice: HTMLElement, sentence: string, tone = '') {
  notice.hidden = false
  notice.className = `notice ${tone}`
  notice.textContent = sentence
}

/** Returns a function that calls `run` once it has not been called again for `ms` milliseconds. */
export function debounce(ms: number, run: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => clearTimeout(timer)
  const later = (nextMs = ms) => {
    cancel()
    timer = setTimeout(run, nextMs)
  }
  return { later, cancel }
}

/** Returns the address with other query parameters. An empty value removes a parameter. */
export function withQuery(address: string, values: Record<string, string>): string {
  const url = new URL(address, location.href)
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** Fetches a part of a page. Returns undefined if that fails. */
export async function fetchPagePart(address: string): Promise<string | undefined> {
  const answer = await fetch(address, { redirect: 'error' }).catch(() => undefined)
  // If the session has ended, the reloaded page redirects to the sign-in page, which leads back here.
  if (answer?.status === 401) location.reload()
  return answer?.ok ? answer.text() : undefined
}

/** Sends a form of the page with other fields. Returns the reason if the change was refused. */
export async function sendForm(
  form: HTMLFormElement,
  fill: (body: URLSearchParams) => void,
  describe = describeRefusal,
): Promise<string | undefined> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  // Each change needs its own submission id.
  body.delete('_submission')
  fill(body)
  try {
    const keepalive = String(body).length < KEPT_ALIVE_BYTES_MAX
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive })
    if (answer.type === 'opaqueredirect') return undefined
    return describe(new DOMParser().parseFromString(await answer.text(), 'text/html'))
  } catch {
    return t`Berth could not be reached.`
  }
}

/** Returns the messages of a page that shows a refused form or a failure. */
export function describeRefusal(page: Document): string {
  const atForm = [...page.querySelectorAll('main :is(.notice.bad, .error) p')]
  const shown = atForm.length > 0 ? atForm : [page.querySelector('main .card p')]
  const sentences = shown.map((each) => each?.textContent.trim()).filter(Boolean)
  return sentences.join(' ') || t`Could not save.`
}

/** Makes a group of cells a single Tab stop: the cell that had the focus last, or else the first cell.
 * Returns a function that sets the Tab stop again after the cells have changed. */
export function makeSingleTabStop<Cell extends FocusableCell>(
  box: HTMLElement,
  selector: string,
  keyOf: (cell: Cell) => string,
) {
  let current = ''
  const mark = () => {
    const cells = [...box.querySelectorAll<Cell>(selector)]
    const stop =
      cells.find((cell) => keyOf(cell) === current) ??
      cells.find((cell) => cell.hasAttribute('data-marked')) ??
      cells[0]
    for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1
    return stop
  }
  box.addEventListener('focusin', (event) => {
    const cell = closestElement<Cell>(event, selector)
    if (!cell || keyOf(cell) === current) return
    current = keyOf(cell)
    mark()
  })
  mark()
  return mark
}
