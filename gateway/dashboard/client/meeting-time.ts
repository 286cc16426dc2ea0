// The time of a meeting: puts its fields first on the page, moves the end when the start changes, and shows
// the rooms for the entered time.
import type { MeetingAddress } from './meeting-address.ts'

// Years that are still being typed do not match.
const ENTERED = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d/

export function watchTimes(box: HTMLElement, form: HTMLFormElement, address: MeetingAddress) {
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
  // A refused form contains what was typed, which the address does not.
  if (box.querySelector('[role="alert"]')) address.remember(entered())
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
