// Encodes a client's position in the change feed, opaque to clients. It expires with the rows after it.
import { CHANGES_KEPT_DAYS, type ChangePosition } from '../../../shared/changes/read.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'

const KEPT_MS = CHANGES_KEPT_DAYS * 24 * 3_600_000

export function encodeChangeCursor({ horizon, sequence, atMs }: ChangePosition): string {
  return Buffer.from([horizon, sequence, atMs].join('.')).toString('base64url')
}

export function decodeChangeCursor(cursor: string, nowMs: number): ChangePosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [horizon, sequence, atMs] = text.split('.').map(Number)
  if (!/^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(text))
    throw invalid({ after: [message`${field('after')} must be “next” of an answer.`] })
  if (Number(atMs) < nowMs - KEPT_MS) throw cursorExpired()
  return { horizon: Number(horizon), sequence: Number(sequence), atMs: Number(atMs) }
}

export function cursorExpired(): Refusal {
  return new Refusal(
    'cursor_expired',
    message`Changes are kept for ${CHANGES_KEPT_DAYS} days. Read the listings again, and start without after.`,
  )
}
