// Plans a meeting on one page: its time comes first, people are found while the user types, and rooms show
// whether they are free, all without leaving the page. The server shows the consequences of each choice in
// the slots of the page.
import { Combobox } from './combobox.ts'
import { closest, debounce, fetchPart, opensElsewhere } from './dom.ts'
import { createAddress, type MeetingAddress } from './meeting-address.ts'
import { controlsOf, watchTimes } from './meeting-time.ts'
import { t } from './translate.ts'

const DEBOUNCE_MS = 200

type Meeting = {
  box: HTMLElement
  form: HTMLFormElement
  address: MeetingAddress
  announce(sentence: string): void
}

const box = document.querySelector<HTMLElement>('[data-meeting]')
const form = box?.querySelector<HTMLFormElement>('form[method="post"]')
if (box && form) begin(box, form)

function begin(box: HTMLElement, form: HTMLFormElement) {
  const status = box.querySelector('[data-told]')
  const announce = (sentence: string) => {
    if (status) status.textContent = sentence
  }
  const meeting = { box, form, address: createAddress(box, form), announce }
  watchTimes(box, form, meeting.address)
  watchChoices(meeting)
  findPeople(meeting)
  findRooms(meeting)
  followOrganizers(meeting)
  followRules(meeting)
}

/** Links and buttons that add, remove, or do both. */
function watchChoices({ box, form, address, announce }: Meeting) {
  box.addEventListener('click', (event) => {
    const link = closest(event, '[data-add], [data-drop], [data-all]')
    if (!link || link.getAttribute('role') === 'option' || opensElsewhere(event)) return
    event.preventDefault()
    const { add, drop, name = '', all } = link.dataset
    if (all !== undefined) return address.change({ all: 'true' })
    address.choose({ add, drop }, drop === `u${organizerOf(form)?.value}` ? { organizer: '' } : {})
    announce(add ? t`${name} added.` : t`${name} removed.`)
    // The pressed element is about to disappear. Only the link of a room stays, under its id.
    const buttons = [...form.querySelectorAll<HTMLElement>('.buttons button')]
    if (link instanceof HTMLButtonElement) buttons.at(-1)?.focus()
    else if (!link.id) fieldOf(box, '[data-find-people]')?.focus()
  })
}

function findPeople({ box, form, address, announce }: Meeting) {
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
    find: (words) => fetchPart(address.partAddress('found', { person: words })),
    choose({ dataset: { add = '', name = '' } }) {
      const isFirst = !organizerOf(form)?.value && add.startsWith('u')
      address.choose({ add }, isFirst ? { organizer: add.slice(1) } : {})
      announce(t`${name} added.`)
    },
  })
}

function findRooms({ box, address }: Meeting) {
  const field = fieldOf(box, '[data-find-rooms]')
  const building = box.querySelector<HTMLSelectElement>('[data-find-rooms] select')
  if (!field || !building) return
  const { later, cancel } = debounce(DEBOUNCE_MS, show)
  field.form?.querySelector('.buttons')?.remove()
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    show()
  })
  field.addEventListener('input', () => later())
  building.addEventListener('change', show)

  function show() {
    cancel()
    address.change({ place: field?.value.trim() ?? '', building: building?.value ?? '', all: '' })
  }
}

/** Only attendees can be the organizer. The chosen one stays if possible. */
function followOrganizers({ box, form, address }: Meeting) {
  const slot = box.querySelector('[data-slot="organizers"]')
  const select = organizerOf(form)
  if (!slot || !(select instanceof HTMLSelectElement)) return
  new MutationObserver(() => {
    const chosen = select.value
    const offered = [...slot.querySelectorAll('option')].map((option) => option.cloneNode(true))
    select.replaceChildren(...offered)
    if ([...select.options].some(({ value }) => value === chosen)) select.value = chosen
  }).observe(slot, { childList: true })
  // The available rooms may depend on the organizer.
  select.addEventListener('change', () => address.change({ organizer: select.value }))
}

function followRules({ box }: Meeting) {
  const slot = box.querySelector('[data-slot="rooms"]')
  const overriding = box.querySelector<HTMLElement>('[data-overriding]')
  if (!slot || !overriding) return
  new MutationObserver(() => {
    overriding.hidden = slot.querySelector('[data-has-rules]') === null
  }).observe(slot, { childList: true })
}

function organizerOf(form: HTMLFormElement) {
  return controlsOf(form)['organizer_user_id']
}

function fieldOf(box: HTMLElement, inside: string): HTMLInputElement | null {
  return box.querySelector(`${inside} input:not([type="hidden"])`)
}
