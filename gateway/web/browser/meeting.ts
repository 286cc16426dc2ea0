// Plans a meeting on one page: its time comes first, people are found while the user types, and rooms show
// whether they are free, all without leaving the page. The server shows the consequences of each choice in
// the slots of the page.

import { Combobox } from './shared/combobox.ts'
import { closest, debounce, fetchPart, opensElsewhere, withQuery } from './shared/dom.ts'
import { t } from './shared/translate.ts'

type MeetingAddress = ReturnType<typeof createAddress>

function createAddress(part: HTMLElement, form: HTMLFormElement) {
  const partAddress = (name: string, more: Record<string, string> = {}) =>
    withQuery(location.href, { ...more, _part: name })

  /** For values that the page already shows. An empty value removes the parameter. */
  function remember(values: Record<string, string>) {
    // Ends a search that began without scripts.
    const address = withQuery(location.href, { ...values, person: '', visitor: '' })
    history.replaceState(history.state, '', address)
    form.action = address
    part.dataset.refresh = partAddress('meeting')
  }

  function change(values: Record<string, string>) {
    remember(values)
    part.dispatchEvent(new Event('refresh'))
  }

  /** Adds one mark, removes one, or both. */
  function choose({ add, drop }: { add?: string; drop?: string }, more: Record<string, string> = {}) {
    const read = (name: string) =>
      new Set(new URLSearchParams(location.search).get(name)?.split(',').filter(Boolean))
    const [added, dropped] = [read('add'), read('drop')]
    // As on the server: for what the event already contains, only the removal is stored.
    if (drop && !added.delete(drop)) dropped.add(drop)
    if (add && !dropped.delete(add)) added.add(add)
    change({ ...more, add: [...added].join(), drop: [...dropped].join() })
  }

  return { partAddress, remember, change, choose }
}

// Years that are still being typed do not match.
const ENTERED = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d/

function watchTimes(box: HTMLElement, form: HTMLFormElement, address: MeetingAddress) {
  const times = box.querySelector('[data-times]')
  const when = box.querySelector('[data-when]')
  const { from_time, to_time, from_timezone, to_timezone } = controlsOf(form)
  if (!times || !when || !from_time || !to_time || !from_timezone || !to_timezone) return
  form.id ||= 'meeting-form'
  for (const control of times.querySelectorAll('input, select')) control.setAttribute('form', form.id)
  when.replaceChildren(times)

  let known = { from: from_time.value, to: to_time.value }
  const entered = () => ({
    from: from_time.value,
    to: to_time.value,
    zone: from_timezone.value,
    end_zone: to_timezone.value || from_timezone.value,
  })
  // A refused form contains what was typed, which the address does not; and the proposed time changes every hour.
  if (box.querySelector('[role="alert"]') || !new URLSearchParams(location.search).has('from'))
    address.remember(entered())
  // The message is further down, next to the button that saves.
  times.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

  times.addEventListener('change', ({ target }) => {
    if (!ENTERED.test(from_time.value)) return
    if (target === from_time) to_time.value = moveEnd(known, from_time.value)
    if (!ENTERED.test(to_time.value)) return
    known = { from: from_time.value, to: to_time.value }
    address.change(entered())
  })
}

/** The end of the meeting after its start has changed: the duration stays the same. */
function moveEnd(known: { from: string; to: string }, from: string): string {
  const wallMs = (local: string) => Date.parse(`${local}Z`)
  const lasts = wallMs(known.to) - wallMs(known.from)
  const end = wallMs(from) + lasts
  if (!(lasts > 0) || Number.isNaN(end)) return known.to
  return new Date(end).toISOString().slice(0, 16)
}

export function controlsOf(form: HTMLFormElement): Record<string, HTMLInputElement | undefined> {
  const controls = [...form.elements] as HTMLInputElement[]
  return Object.fromEntries(controls.map((each) => [each.name, each]))
}

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
