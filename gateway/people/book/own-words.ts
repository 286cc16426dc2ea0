// Refusals in the words of the person who books: the workers speak to programs and administrators of “the user”.
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'

const WORDS: Partial<Record<RefusalCode, (name: string) => Message>> = {
  not_for_this_user: (name) => message`Only members of certain groups can book ${name}.`,
  already_booked: () =>
    message`You have booked something of this kind at that time already. Cancel it first.`,
  already_booked_that_day: () =>
    message`You have booked something of this kind for that day already. Cancel it first.`,
  too_many_bookings: () =>
    message`You have as many bookings as you can have at once. Cancel one first, or wait until one is over.`,
}

export async function inOwnWords<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const words = error instanceof Refusal ? WORDS[error.code] : undefined
    throw error instanceof Refusal && words ? new Refusal(error.code, words(name)) : error
  }
}
