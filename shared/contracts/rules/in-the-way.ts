// What becomes of bookings, and of rooms of events, that are in the way of an administrator who blocks, assigns, deletes or
// closes something. Where nothing is said they stay, or the write is refused, as it always was.
import { choice } from '../fields.ts'

export const WAYS_OUT = ['ask', 'leave', 'release', 'move', 'move-or-release'] as const
export type WayOut = (typeof WAYS_OUT)[number]

/** `ask` refuses where anything is in the way, `move` where something finds no other place. */
export const wayOut = () => choice(WAYS_OUT, (name) => `${name} must be one of the choices.`)
