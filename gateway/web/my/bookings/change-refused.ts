// Offers alternatives if a change of a booking was refused: another place at the wanted time, or another time.
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required } from '../../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../../shared/schemas/inputs.ts'
import { dateTime } from '../../../../shared/schemas/times.ts'
import type { Html } from '../../../html/html.ts'
import type { Call } from '../../pages/page/page.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showAlternatives } from '../book/alternatives.ts'
import { type BookedSpan, findSeat } from '../book/seats.ts'
import type { OwnBooking } from './own-bookings.ts'

export async function showAlternativesOfChange(call: Call, booking: OwnBooking): Promise<Html | undefined> {
  const { refusedForm } = call
  const span = refusedForm && readWantedSpan(refusedForm.values, booking)
  if (!refusedForm || !span) return undefined
  const { id, bookableId } = booking
  const wanted = refusedForm.action === 'move' ? Number(refusedForm.values['bookable']?.[0]) : bookableId
  const seat = await findSeat(call, wanted)
  // Somebody has deleted the chosen place since the page was shown.
  if (!seat) return undefined
  return showAlternatives(call, {
    seat,
    span,
    except: id,
    showPlace: (seat, { label, tone }) =>
      form(call, {
        action: 'move',
        key: seat.id,
        hidden: { bookable: seat.id, ...span },
        submit: label,
        tone,
        isInline: true,
      }),
    showTime: ({ from, to }, { label, tone }) =>
      form(call, {
        action: 'set-time',
        key: 'other',
        hidden: { span: `${from} ${to}`, scope: refusedForm.values['scope']?.[0] ?? 'one' },
        submit: label,
        tone,
        isInline: true,
      }),
  })
}

const spanSchema = object({
  from: required(dateTime()),
  to: required(dateTime()).test(...isAfterField('from')),
})

/** Parses two instants, separated by a space. Returns undefined if they are not valid. */
export function parseChosenSpan(chosen: string): BookedSpan | undefined {
  const [from, to] = chosen.split(' ')
  return spanSchema.isValidSync({ from, to }) ? spanSchema.cast({ from, to }) : undefined
}

/** Returns the time in the refused form, or undefined if it is not valid. */
function readWantedSpan(
  values: Record<string, string[]>,
  { from, to, zone }: OwnBooking,
): BookedSpan | undefined {
  const read = (name: string) => values[name]?.[0]
  const [from_time, to_time] = [read('from_time'), read('to_time')]
  if (from_time !== undefined && to_time !== undefined) {
    if (!localDateTime().isValidSync(from_time) || !localDateTime().isValidSync(to_time)) return undefined
    return readTypedSpan({ from_time, to_time }, zone, { from, to })
  }
  const chosen = read('span')
  if (chosen !== undefined) return parseChosenSpan(chosen)
  const end = read('to') ?? to
  return end === null ? undefined : { from: read('from') ?? from, to: end }
}

function readTypedSpan(
  typed: { from_time: string; to_time: string },
  zone: string,
  present: { from: string; to: string | null },
): BookedSpan | undefined {
  try {
    const { from, to } = parseSpan(typed, { from: zone, to: zone }, present)
    return from && to ? { from, to } : undefined
  } catch (error) {
    // `parseSpan` refuses a time that the clocks skip when summer time begins. For such a time, there are no alternatives
    // to offer.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
