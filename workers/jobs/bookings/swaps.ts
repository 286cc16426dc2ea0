// Swaps two bookings. Each booking moves to the other's bookable, if the rules there allow it, and keeps its time.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import type { Handlers } from '../../runtime/write.ts'
import { bookingMoves, checkMove } from './changes.ts'
import { saveBookingsTogether } from './save-bookings.ts'

type PlacedBooking = InputOf<'bookings.swap'>['one']

export const swapHandlers: Handlers<'bookings.swap'> = {
  async 'bookings.swap'(write, { one, other, overrides_rules }) {
    if (one.bookable_id === other.bookable_id)
      throw invalidFields({ other: [message`Both bookings are for the same place.`] })
    const connection = await write.connection()
    const pairs: Array<[PlacedBooking, PlacedBooking]> = [
      [one, other],
      [other, one],
    ]
    const writes = pairs.map(([{ id }, { bookable_id }]) => ({
      context: write,
      input: { id, bookable_id, overrides_rules },
    }))
    const facts = await bookingMoves.lockFacts(connection, writes)
    const changes = writes.map((each, index) => {
      const fact = facts[index]
      if (!fact || fact instanceof Refusal) throw fact ?? new Error('A booking was not looked for')
      if (fact.before.bookable_id !== pairs[index]?.[0].bookable_id) throw createMovedRefusal()
      return checkMove(each, fact)
    })
    const [first, second] = await saveBookingsTogether(connection, changes)
    if (!first || !second) throw new Error('A booking of a swap was not saved')
    return { data: [parseJsonText(first.text).data, parseJsonText(second.text).data] }
  },
}

const createMovedRefusal = () =>
  new Refusal(
    'changed_meanwhile',
    message`One of the bookings was moved in the meantime. Nothing was changed.`,
  )
