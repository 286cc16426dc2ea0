// A person who books a home office needs no desk at that time, and the reverse. Before it books, the page shows the person's
// booking of the other kind, and asks whether to keep both or give up its time.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { choices, type Fields } from '../../pages/ui/fields.ts'
import { formatFirst } from '../../pages/ui/parts.ts'
import type { Span } from './seats.ts'

const { desk, homeOffice } = BOOKABLE_TYPES
const OTHER_KIND: Record<number, number> = { [desk]: homeOffice, [homeOffice]: desk }
const FOUND_MAX = 400
const NAMED_MAX = 3

const CHOICE = choices(
  ['keep', sentence`Keep both`],
  ['free', sentence`Give up the other booking at this time`],
)
/** The field with the choice in the forms of Book. */
export const otherKindFields = { other_kind: CHOICE.rule() }
type Typed = {
  other_kind?: 'keep' | 'free' | undefined
  guest_name?: string | undefined
  guest_email?: string | undefined
}

const HELD = { id: rows.number('bookings.id'), ...rows.CLAIMED, ...rows.BOOKED }
type Held = rows.RowOf<typeof HELD>

/** Whether a person needs only one of these, because one is a desk, the other a home office, and their times overlap. */
export const excludeEachOther = (one: Kind, other: Kind): boolean =>
  OTHER_KIND[one.type] === other.type && one.from < (other.to ?? LATEST) && other.from < (one.to ?? LATEST)
type Kind = { type: number; from: string; to: string | null }

/** The person’s own bookings of the other kind at these times. */
export async function listOtherKind(
  { reads, requirePerson }: Call,
  type: number,
  spans: Span[],
): Promise<Held[]> {
  const other = OTHER_KIND[type]
  if (other === undefined) return []
  return rows.selectRows(
    reads,
    HELD,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && (
       SELECT range_agg(tstzrange(starts, ends)) FROM unnest($3::timestamptz[], $4::timestamptz[]) AS asked (starts, ends))
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT ${FOUND_MAX}`,
    [requirePerson().id, other, spans.map(({ from }) => from), spans.map(({ to }) => to)],
  )
}

/**
 * The page that books this time and asks what should happen to a booking of the other kind; undefined if there is none.
 * For buttons that would book at once.
 */
export async function otherKindAddress(
  call: Call,
  { id, type, zone }: { id: number; type: number; zone: string },
  span: Span,
): Promise<string | undefined> {
  const held = await listOtherKind(call, type, [span])
  if (held.length === 0) return undefined
  const [date, from] = formatLocalDateTime(span.from, zone).split('T')
  const [, to] = formatLocalDateTime(span.to, zone).split('T')
  return call.link(`/book/${id}`, { date, from: from?.slice(0, 5), to: to?.slice(0, 5) })
}

/** The field that asks about these bookings of the other kind. `zone` is that of the form. */
export function showOtherKind(
  { refusedForm }: Call,
  fields: Fields,
  held: Held[],
  zone: string,
): Html | false {
  // The refusal names the bookings, also those on other days.
  const isAsked = refusedForm?.errors['other_kind'] !== undefined
  const [only, ...more] = held
  if (!only && !isAsked) return false
  const label =
    only && more.length === 0 && !isAsked
      ? t`You have ${describe(only, zone)}. What should happen to it?`
      : t`What should happen to your other bookings at these times?`
  return html`${fields.radios('other_kind', label, { options: CHOICE.options(), required: true })}`
}

/** Returns the bookings to give up. Refuses a form without a choice, and names these bookings. */
export async function chooseOtherKind(
  call: ActionCall<unknown, unknown, Typed>,
  { type, zone }: { type: number; zone: string },
  spans: Span[],
): Promise<Held[]> {
  const { other_kind, guest_name, guest_email } = call.form
  if (guest_name || guest_email || other_kind === 'keep') return []
  const held = (await listOtherKind(call, type, spans)).filter((each) => canGiveUp(each, spans))
  if (held.length === 0 || other_kind === 'free') return held
  const named = formatFirst(
    held.map((each) => describe(each, zone)),
    NAMED_MAX,
  )
  throw invalid({ other_kind: [message`You have ${named}. Choose what should happen.`] })
}

const findOverlap = ({ from, to }: Held, spans: Span[]) =>
  spans.find((each) => each.from < (to ?? LATEST) && from < each.to)

/** False for a booking that begins before the new one and ends after it: it would lose the time after it too. */
export function canGiveUp(held: Held, spans: Span[]): boolean {
  const met = findOverlap(held, spans)
  return met !== undefined && !(held.from < met.from && met.to < (held.to ?? LATEST))
}

/**
 * Call it after the new bookings are made. The parts before and after them stay. Undo in the notice undoes the new
 * bookings and all that was given up for them.
 */
export async function giveUp(call: ActionCall, held: Held[], spans: Span[]): Promise<void> {
  const covered: number[] = []
  const attempts = new Set([call.lastAttempt()])
  for (const each of held) {
    const { id, from, to } = each
    const span = findOverlap(each, spans)
    if (!span) continue
    if (from < span.from) await call.dispatch('bookings.update', { id, from_time: from, to_time: span.from })
    else if (to !== null && to > span.to)
      await call.dispatch('bookings.update', { id, from_time: span.to, to_time: to })
    else covered.push(id)
    attempts.add(call.lastAttempt())
  }
  if (covered.length > 0) await call.dispatch('bookings.cancel', { ids: covered })
  attempts.delete(call.lastAttempt())
  call.undoTogether([...attempts].filter((attempt) => attempt !== undefined))
}

const LATEST = '9999-12-31T23:59:59.999999Z'

/** Names the time zone if it is another than that of the form. */
function describe({ from, to, zone, ...held }: Held, zoneOfForm: string): string {
  const end = to === null ? t`open-ended` : formatTimeBeside(to, from, zone)
  const named = zone === zoneOfForm ? '' : ` (${formatZone(zone)})`
  return `${formatPlace(held)}, ${formatDayAndTime(from, zone)} – ${end}${named}`
}
