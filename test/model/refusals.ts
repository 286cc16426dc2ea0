// How the model refuses: the code, and what programs read beside it.
import { REFUSALS, type RefusalCode } from '../../shared/messages/refusal-kinds.ts'
import type { Bookable } from './state.ts'

export type Expected = { status: number; body: unknown }

export function refuse(code: RefusalCode, members: object = {}): Expected {
  return { status: REFUSALS[code].status, body: { code, ...members } }
}

export function unbookable({ status, assignees }: Bookable, user: number): Expected | undefined {
  if (status === 1) return refuse('bookable_blocked')
  if (status === 2 && !assignees.includes(user)) return refuse('bookable_assigned')
  return undefined
}
