// Idempotency keys, as gateways and workers share them: one table keeps the first response to a key, no matter which of
// the two wrote it.
import { lockKeySql } from '../database/locks.ts'
import { message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'

/** SQL for the key of the lock that a request holds while it does the work of an idempotency key. `name` is
 * SQL for the scope, a space and the idempotency key. */
export const idempotencyLockKeySql = (name: string) => lockKeySql('idempotencyKey', name)

/** SQL for the replacement for an idempotency key that contains the name of an erased person. The replacement
 * is a hash, so nobody can read the name, but a repeated request still finds the row. */
export const erasedKeySql = (key: string) => `'erased ' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`

export const createKeyInUseRefusal = () =>
  new Refusal(
    'idempotency_key_in_use',
    message`The first request with this Idempotency-Key is still in progress.`,
  )
