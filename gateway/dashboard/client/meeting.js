// @ts-check
// Plans a meeting on one page: its time comes first, people are found while the user types, and rooms show
// whether they are free, all without leaving the page. The server shows the consequences of each choice in
// the slots of the page.
import { Combobox } from './combobox.js'
import { MeetingAddress } from './meeting-address.js'
import { controlsOf, watchTimes } from './meeting-time.js'
import { t } from './translate.js'

const TYPED_MS = 200

/** @typedef {{ box: HTMLElement, form: HTMLFormElement, address: MeetingAddress, announce: (sentence: string) => void }} Meeting */

const box = document.querySelector('[data-meeting]')
const form = box?.querySelector('form[method="post"]')
if (box instanceof HTMLElement && form instanceof HTMLFormElement) begin(box, form)

/**
 * @param {HTMLElement} box
 * @param {HTMLFormElement} form
 */
function begin(box, form) {
  const told = box.querySelector('[data-told]')
  const announce = (/** @type {string} */ sentence) => {
    if (told) told.textContent = sentence
  }
  const meeting = { box, form, address: new MeetingAddress(box, form), announce }
  watchTimes(box, form, meeting.address)
  watchChoices(meeting)
  findPeople(meeting)
  findRooms(meeting)
  followOrganizers(meeting)
  followRules(meeting)
}

/**
 * Links and buttons that add, remove, or do both.
 * @param {Meeting} meeting
 */
function watchChoices({ box, form, address, announce }) {
  box.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest('[data-add], [data-drop], [data-all]') : null
    if (!(link instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (link.getAttribute('role') === 'option') return
    event.preventDefault()
    const { add, drop, name = '', all } = link.dataset
    if (all !== undefined) return address.change({ all: 'true' })
    const organizer = controlsOf(form)['organizer_user_id']?.value
    address.choose({ add, drop }, drop === `u${organizer}` ? { organizer: '' } : {})
    announce(add ? t`${name} added.` : t`${name} removed.`)
    // The pressed element is about to disappear. Only the link of a room stays, under its id.
    if (link instanceof HTMLButtonElement) submitOf(form)?.focus()
    else if (!link.id) fieldOf(box, '[data-find-people]')?.focus()
  })
}

/** @param {Meeting} meeting */
function findPeople({ box, form, address, announce }) {
  const field = fieldOf(box, '[data-find-people]')
  if (!field) return
  // Removes the results found without scripts and the field for visitors, because one field finds both here.
  field.form?.querySelector('.buttons')?.remove()
  for (const each of box.querySelectorAll('[data-find-people] > .found, [data-visitor]')) each.remove()
  field.placeholder = t`Name, or e-mail of a visitor`
  field.value = ''
  field.form?.addEventListener('submit', (event) => event.preventDefault())
  new Combobox(field, {
    label: t`People`,
    announce,
    find: (words) => fetchText(address.partAddress('found', { person: words })),
    take({ dataset: { add = '', name = '' } }) {
      const organizer = controlsOf(form)['organizer_user_id']?.value
      const isFirst = !organizer && add.startsWith('u')
      address.choose({ add }, isFirst ? { organizer: add.slice(1) } : {})
      announce(t`${name} added.`)
    },
  })
}

/** @param {Meeting} meeting */
function findRooms({ box, address }) {
  const field = fieldOf(box, '[data-find-rooms]')
  const building = box.querySelector('[data-find-rooms] select')
  if (!field || !(building instanceof HTMLSelectElement)) return
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let debounce
  const show = () => {
    clearTimeout(debounce)
    address.change({ place: field.value.trim(), building: building.value, all: '' })
  }
  field.form?.querySelector('.buttons')?.remove()
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    show()
  })
  field.addEventListener('input', () => {
    clearTimeout(debounce)
    debounce = setTimeout(show, TYPED_MS)
  })
  building.addEventListener('change', show)
}

/**
 * Only attendees can be the organizer. The chosen one stays if possible.
 * @param {Meeting} meeting
 */
function followOrganizers({ box, form, address }) {
  const slot = box.querySelector('[data-slot="organizers"]')
  const select = controlsOf(form)['organizer_user_id']
  if (!slot || !(select instanceof HTMLSelectElement)) return
  new MutationObserver(() => {
    const offered = slot.querySelector('select')
    const chosen = select.value
    select.replaceChildren(...[...(offered?.options ?? [])].map((option) => option.cloneNode(true)))
    if ([...select.options].some(({ value }) => value === chosen)) select.value = chosen
  }).observe(slot, { childList: true })
  // The available rooms may depend on the organizer.
  select.addEventListener('change', () => address.change({ organizer: select.value }))
}

/** @param {Meeting} meeting */
function followRules({ box }) {
  const slot = box.querySelector('[data-slot="rooms"]')
  const overriding = box.querySelector('[data-overriding]')
  if (!slot || !(overriding instanceof HTMLElement)) return
  new MutationObserver(() => {
    overriding.hidden = slot.querySelector('[data-has-rules]') === null
  }).observe(slot, { childList: true })
}

/** @param {HTMLFormElement} form */
function submitOf(form) {
  const buttons = form.querySelectorAll('.buttons button')
  return /** @type {HTMLButtonElement | undefined} */ (buttons[buttons.length - 1])
}

/**
 * @param {HTMLElement} box
 * @param {string} inside
 */
function fieldOf(box, inside) {
  const field = box.querySelector(`${inside} input:not([type="hidden"])`)
  return field instanceof HTMLInputElement ? field : undefined
}

/** @param {string} address */
async function fetchText(address) {
  const answer = await fetch(address, { redirect: 'error' }).catch(() => undefined)
  // If the session has ended, the whole page leads to signing in and back here.
  if (answer?.status === 401) location.reload()
  return answer?.ok ? answer.text() : undefined
}
