// Plans a meeting on one page: the user first chooses the time, people are found while the user types, and
// rooms show whether they are free, all without leaving the page. The server shows the consequences of each
// choice in the slots of the page.

import { Combobox } from './shared/combobox.ts'
import { closestElement, debounce, fetchPagePart, hasNewTabModifier, withQuery } from './shared/dom.ts'
import { t } from './shared/translate.ts'

type MeetingAddress = ReturnType<typeof createAddress>

function createAddress(part: HTMLElement, form: HTMLFormElement) {
  const partAddress = (name: string, more: Record<string, string> = {}) =>
    withQuery(location.href, { ...more, _part: name })

  /** Stores values in the page's address. Call this only for values that the page already shows. An empty
   * value removes its parameter. */
  function remember(values: Record<string, string>) {
    // Also removes the parameters of a search that began without scripts.
    const address = withQuery(location.href, { ...values, person: '', visitor: '' })
    history.replaceState(history.state, '', address)
    form.action = address
    part.dataset.refresh = partAddress('meeting')
  }

  function change(values: Record<string, string>) {
    remember(values)
    part.dispatchEvent(new Event('refresh'))
  }

  /** Adds a choice, removes a choice, or swaps one choice for another. */
  function choose({ add, drop }: { add?: string; drop?: string }, more: Record<string, string> = {}) {
    const read = (name: string) =>
      new Set(new URLSearchParams(location.search).get(name)?.split(',').filter(Boolean))
    const [added, dropped] = [read('add'), read('drop')]
    // For people and rooms that the event already has, only the removal is stored, as on the server.
    if (drop && !added.delete(drop)) dropped.add(drop)
    if (add && !dropped.delete(add)) added.add(add)
    change({ ...more, add: [...added].join(), drop: [...dropped].join() })
  }

  return { partAddress, remember, change, choose }
}

// Matches a complete time. A year that is still being typed does not match.
const COMPLETE_TIME_PATTERN = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d/

function watchTimes(box: HTMLElement, form: HTMLFormElement, address: MeetingAddress) {
  const times = box.querySelector('[data-times]')
  const when = box.querySelector('[data-when]')
  const { from_time, to_time, from_timezone, to_timezone } = mapControls(form)
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
  // Stores the times in the address, because the address lacks the values of a refused form. The proposed
  // time must also be stored, because it changes every hour.
  if (box.querySelector('[role="alert"]') || !new URLSearchParams(location.search).has('from'))
    address.remember(entered())
  // Focuses the invalid time, because the message is further down, next to the button that saves.
  times.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

  times.addEventListener('change', ({ target }) => {
    if (!COMPLETE_TIME_PATTERN.test(from_time.value)) return
    if (target === from_time) to_time.value = computeEnd(known, from_time.value)
    if (!COMPLETE_TIME_PATTERN.test(to_time.value)) return
    known = { from: from_time.value, to: to_time.value }
    address.change(entered())
  })
}

/** Computes the end of the meeting after its start has changed, so that the duration stays the same. */
function computeEnd(known: { from: string; to: string }, from: string): string {
  const localTimeMs = (local: string) => Date.parse(`${local}Z`)
  const lasts = localTimeMs(known.to) - localTimeMs(known.from)
  const end = localTimeMs(from) + lasts
  if (!(lasts > 0) || Number.isNaN(end)) return known.to
  return new Date(end).toISOString().slice(0, 16)
}

export function mapControls(form: HTMLFormElement): Record<string, HTMLInputElement | undefined> {
  const controls = [...form.elements] as HTMLInputElement[]
  return Object.fromEntries(controls.map((each) => [each.name, each]))
}

const DEBOUNCE_MS = 200

type MeetingForm = {
  box: HTMLElement
  form: HTMLFormElement
  address: MeetingAddress
  announce(sentence: string): void
}

const box = document.querySelector<HTMLElement>('[data-meeting]')
const form = box?.querySelector<HTMLFormElement>('form[method="post"]')
if (box && form) planMeeting(box, form)

function planMeeting(box: HTMLElement, form: HTMLFormElement) {
  const status = box.querySelector('[data-told]')
  const announce = (sentence: string) => {
    if (status) status.textContent = sentence
  }
  const meeting = { box, form, address: createAddress(box, form), announce }
  watchTimes(box, form, meeting.address)
  watchChoices(meeting)
  watchPeopleField(meeting)
  watchRoomSearch(meeting)
  updateOrganizers(meeting)
  watchRules(meeting)
}

/** Watches the links and buttons that add, remove or swap a choice. */
function watchChoices({ box, form, address, announce }: MeetingForm) {
  box.addEventListener('click', (event) => {
    const link = closestElement(event, '[data-add], [data-drop], [data-all]')
    if (!link || link.getAttribute('role') === 'option' || hasNewTabModifier(event)) return
    event.preventDefault()
    const { add, drop, name = '', all } = link.dataset
    if (all !== undefined) return address.change({ all: 'true' })
    address.choose({ add, drop }, drop === `u${findOrganizer(form)?.value}` ? { organizer: '' } : {})
    announce(add ? t`${name} added.` : t`${name} removed.`)
    // Moves the focus, because the pressed element is about to disappear. Only the link of a room stays, with the same
    // id.
    const buttons = [...form.querySelectorAll<HTMLElement>('.buttons button')]
    if (link instanceof HTMLButtonElement) buttons.at(-1)?.focus()
    else if (!link.id) findField(box, '[data-find-people]')?.focus()
  })
}

function watchPeopleField({ box, form, address, announce }: MeetingForm) {
  const field = findField(box, '[data-find-people]')
  if (!field) return
  // Removes the results found without scripts and the field for visitors, because with scripts one field
  // finds both people and visitors.
  field.form?.querySelector('.buttons')?.remove()
  for (const each of box.querySelectorAll('[data-find-people] > .found, [data-visitor]')) each.remove()
  field.placeholder = t`Name, or e-mail of a visitor`
  field.value = ''
  field.form?.addEventListener('submit', (event) => event.preventDefault())
  new Combobox(field, {
    label: t`People`,
    announce,
    find: (words) => fetchPagePart(address.partAddress('found', { person: words })),
    choose({ dataset: { add = '', name = '' } }) {
      const isFirst = !findOrganizer(form)?.value && add.startsWith('u')
      address.choose({ add }, isFirst ? { organizer: add.slice(1) } : {})
      announce(t`${name} added.`)
    },
  })
}

function watchRoomSearch({ box, address }: MeetingForm) {
  const field = findField(box, '[data-find-rooms]')
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

/** Updates the possible organizers, who must be attendees. The chosen organizer stays if possible. */
function updateOrganizers({ box, form, address }: MeetingForm) {
  const slot = box.querySelector('[data-slot="organizers"]')
  const select = findOrganizer(form)
  if (!slot || !(select instanceof HTMLSelectElement)) return
  new MutationObserver(() => {
    const chosen = select.value
    const offered = [...slot.querySelectorAll('option')].map((option) => option.cloneNode(true))
    select.replaceChildren(...offered)
    if ([...select.options].some(({ value }) => value === chosen)) select.value = chosen
  }).observe(slot, { childList: true })
  // Updates the rooms, because their availability may depend on the organizer.
  select.addEventListener('change', () => address.change({ organizer: select.value }))
}

function watchRules({ box }: MeetingForm) {
  const slot = box.querySelector('[data-slot="rooms"]')
  const overriding = box.querySelector<HTMLElement>('[data-overriding]')
  if (!slot || !overriding) return
  new MutationObserver(() => {
    overriding.hidden = slot.querySelector('[data-has-rules]') === null
  }).observe(slot, { childList: true })
}

function findOrganizer(form: HTMLFormElement) {
  return mapControls(form)['organizer_user_id']
}

function findField(box: HTMLElement, inside: string): HTMLInputElement | null {
  return box.querySelector(`${inside} input:not([type="hidden"])`)
}
