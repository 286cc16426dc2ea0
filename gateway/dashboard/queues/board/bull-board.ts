// Mounts bull-board for the queues of a gateway. The module is large, so it is loaded when an administrator
// opens the board.
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { toRefusal } from '../../../http/middleware/errors.ts'
import type { Middleware } from '../../../services/context.ts'
import type { DashboardContext } from '../../kit/context.ts'
import { formatMessage } from '../../locales/translate.ts'
import { entryPage } from './entry.ts'
import { mayRetry, rights } from './rights.ts'

// Completed jobs cannot be retried, because a job that is delivered again only returns its receipt.
const optionsOf = (name: QueueName) => ({ allowRetries: mayRetry(name), allowCompletedRetries: false })

export type BullBoard = { plugin: Middleware; entryPage: typeof entryPage }

export function mountBullBoard({ services }: DashboardContext, address: string): BullBoard {
  const adapter = new KoaAdapter()
  adapter.setBasePath(address)
  createBullBoard({
    queues: QUEUES.map((name) => new BullMQAdapter(services.queues.queue(name), optionsOf(name))),
    serverAdapter: adapter,
    options: { handlerHooks: rights },
  })
  adapter.setErrorHandler((error) => {
    const refusal = toRefusal(error)
    return { status: 500, body: { error: formatMessage(refusal.detail) } }
  })
  return { plugin: adapter.registerPlugin(), entryPage }
}
