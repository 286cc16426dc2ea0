// Opens content in a sheet: a dialog from below on phones, in the middle or at the side of larger screens. Esc, the
// back button, a click beside the sheet and a swipe down close it, and the focus returns to where it was. A link with
// `data-sheet` opens the main part of its page in a sheet; one with `data-same-sheet` replaces the content of the sheet it
// is in. Without scripts they lead to that page.
import { closestElement, fetchPagePart, hasNewTabModifier } from './dom.ts'
import { t } from './translate.ts'

type SheetOptions = {
  title: string
  /** HTML of our own pages, or elements. */
  content: string | Node
  /** Whether the sheet leaves the page usable on large screens, and stands at the right edge there. */
  isBeside?: boolean
  onClose?(): void
}

const WIDE_SCREEN = '(min-width: 56.25rem)'
const CLOSING_MS = 150
// How far a finger must pull the sheet down to close it.
const SWIPE_PX = 80

/** The sheets that are open. The newest is the last one. */
const openSheets: Sheet[] = []
// The entries of the history that closing a sheet removes, which must not close another sheet.
let ignoredSteps = 0

export type Sheet = {
  dialog: HTMLDialogElement
  /** Replaces title and content, for example after another desk was chosen. */
  show(title: string, content: string | Node): void
  close(): void
}

/** Opens a sheet. Content that the sheet takes over is removed with it when it closes. */
export function openSheet({ title, content, isBeside = false, onClose }: SheetOptions): Sheet {
  const dialog = createDialog(isBeside)
  const heading = dialog.querySelector('h2') as HTMLElement
  const body = dialog.lastElementChild as HTMLElement
  const opener = document.activeElement
  const sheet: Sheet = {
    dialog,
    show(title, content) {
      heading.textContent = title
      if (typeof content === 'string') body.innerHTML = content
      else body.replaceChildren(content)
    },
    close: () => closeSheet(sheet),
  }
  dialog.addEventListener('close', () => {
    const index = openSheets.indexOf(sheet)
    if (index >= 0) openSheets.splice(index, 1)
    dialog.remove()
    if (opener instanceof HTMLElement || opener instanceof SVGElement) opener.focus({ preventScroll: true })
    onClose?.()
  })
  sheet.show(title, content)
  document.body.append(dialog)
  if (isBeside && matchMedia(WIDE_SCREEN).matches) dialog.show()
  else dialog.showModal()
  heading.focus({ preventScroll: true })
  openSheets.push(sheet)
  // The back button of a phone closes the sheet instead of leaving the page.
  history.pushState({ ...history.state, isSheet: true }, '')
  closeOnRequest(sheet)
  return sheet
}

function createDialog(isBeside: boolean): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = isBeside ? 'sheet beside' : 'sheet'
  dialog.setAttribute('aria-labelledby', 'sheet-title')
  dialog.innerHTML = `<div class="sheet-head"><h2 id="sheet-title" tabindex="-1"></h2>
<button type="button" class="sheet-close">×</button></div><div></div>`
  dialog.querySelector('button')?.setAttribute('aria-label', t`Close`)
  return dialog
}

/** Closes the sheet, and removes its entry from the history, unless the back button has done so. */
function closeSheet(sheet: Sheet, { isBack = false } = {}) {
  const { dialog } = sheet
  if (!dialog.open || dialog.classList.contains('leaving')) return
  if (!isBack) {
    ignoredSteps++
    history.back()
  }
  dialog.classList.add('leaving')
  const ms = matchMedia('(prefers-reduced-motion: no-preference)').matches ? CLOSING_MS : 0
  setTimeout(() => dialog.close(), ms)
}

function closeOnRequest(sheet: Sheet) {
  const { dialog } = sheet
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    sheet.close()
  })
  // A dialog that is not modal gets no “cancel” event.
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || dialog.matches(':modal')) return
    event.preventDefault()
    sheet.close()
  })
  dialog.addEventListener('click', (event) => {
    const isOutside = event.target === dialog && !isInside(dialog.getBoundingClientRect(), event)
    if (isOutside || closestElement(event, '.sheet-close')) sheet.close()
  })
  closeOnSwipe(sheet)
}

const isInside = ({ left, right, top, bottom }: DOMRect, { clientX, clientY }: MouseEvent) =>
  clientX >= left && clientX <= right && clientY >= top && clientY <= bottom

// Follows a finger that pulls the sheet down from its head. The content below the head scrolls as usual.
function closeOnSwipe({ dialog, close }: Sheet) {
  const head = dialog.firstElementChild as HTMLElement
  let startY: number | undefined
  const distance = ({ clientY }: PointerEvent) => (startY === undefined ? 0 : Math.max(0, clientY - startY))
  head.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' || closestElement(event, 'button')) return
    startY = event.clientY
    head.setPointerCapture(event.pointerId)
  })
  head.addEventListener('pointermove', (event) => {
    if (startY !== undefined) dialog.style.translate = `0 ${distance(event)}px`
  })
  const end = (event: PointerEvent) => {
    const isFar = event.type === 'pointerup' && distance(event) > SWIPE_PX
    startY = undefined
    dialog.style.translate = ''
    if (isFar) close()
  }
  head.addEventListener('pointerup', end)
  head.addEventListener('pointercancel', end)
}

addEventListener('popstate', () => {
  if (ignoredSteps > 0) ignoredSteps--
  else {
    const sheet = openSheets.at(-1)
    if (sheet) closeSheet(sheet, { isBack: true })
  }
})

document.addEventListener('click', async (event) => {
  const link = closestElement<HTMLElement>(event, 'a[data-sheet], dialog.sheet a[data-same-sheet]')
  if (!link || event.defaultPrevented || hasNewTabModifier(event)) return
  event.preventDefault()
  // A link on a map has no address as text in its property.
  const address = link.getAttribute('href') ?? ''
  const text = await fetchPagePart(address)
  const page = text === undefined ? undefined : new DOMParser().parseFromString(text, 'text/html')
  const main = page?.querySelector('main')
  // A page that cannot be fetched says so itself.
  if (!main) return location.assign(address)
  const title = main.querySelector('h1')?.textContent ?? link.textContent
  const lead = main.querySelector('.head .lead')
  for (const each of main.querySelectorAll('.breadcrumbs, .head')) each.remove()
  if (lead) main.prepend(lead)
  const content = document.createDocumentFragment()
  content.append(...main.childNodes)
  const open = openSheets.find(({ dialog }) => dialog.contains(link))
  if (open && link.hasAttribute('data-same-sheet')) open.show(title, content)
  else openSheet({ title, content })
})
