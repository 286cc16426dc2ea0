// What becomes of bookings, and of rooms of events, that are in the way of an administrator who blocks, assigns, deletes or
// closes something. Where nothing is said they stay, or the write is refused, as it always was.
import { message } from '../../messages/message.ts'
import { choice } from '../fields.ts'

export const WAYS_OUT = [
  'ask',
  'leave',
  'release',
  'move',
  'move-or-release',
  'move-overriding-rules',
  'move-or-release-overriding-rules',
] as const
export type WayOut = (typeof WAYS_OUT)[number]

const MOVES: Partial<Record<WayOut, { releasesRest: boolean; overridesRules: boolean }>> = {
  move: { releasesRest: false, overridesRules: false },
  'move-or-release': { releasesRest: true, overridesRules: false },
  'move-overriding-rules': { releasesRest: false, overridesRules: true },
  'move-or-release-overriding-rules': { releasesRest: true, overridesRules: true },
}

/** How it moves; undefined where nothing is moved. */
export const movesOf = (chosen: WayOut) => MOVES[chosen]

/** The same, with rules overridden where it moves. */
export function overridingOf(chosen: WayOut): WayOut {
  if (chosen === 'move') return 'move-overriding-rules'
  return chosen === 'move-or-release' ? 'move-or-release-overriding-rules' : chosen
}

/** `ask` refuses where anything is in the way, `move` where something finds no other place. */
export const wayOut = () => choice(WAYS_OUT, (name) => message`${name} must be one of the choices.`)
