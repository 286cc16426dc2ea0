// Starts every poller of a worker with the queue “upkeep”. A test runs each poller on a large amount of data, and
// checks how long its transactions delay the change feed.
import type { Knex } from 'knex'
import type { Config } from '../shared/settings/config.ts'
import type { Log } from '../shared/utilities/log.ts'
import type { Poller } from '../shared/utilities/poller.ts'
import { startNoShowPoller } from './pollers/check-ins/no-shows.ts'
import { startHoldPoller } from './pollers/holds/lapsing.ts'
import { startOfferPoller } from './pollers/holds/offering.ts'
import type { MailObserver } from './pollers/mail/mail-outcomes.ts'
import { startMailPollers } from './pollers/mail/mail-poller.ts'
import { startPushPoller } from './pollers/push/push-poller.ts'

type PollerTools = { database: Knex; config: Config; log: Log; mail?: MailObserver | undefined }

export const POLLERS: Record<string, (tools: PollerTools) => Poller[]> = {
  'no-shows': ({ database, log }) => [startNoShowPoller(database, log)],
  holds: ({ database, log }) => [startHoldPoller(database, log)],
  offers: ({ database, log }) => [startOfferPoller(database, log)],
  pushes: ({ database, config, log }) =>
    config.push && config.peoplePages ? [startPushPoller(database, log)] : [],
  mail: ({ database, config, log, mail }) => startMailPollers(database, config, log, mail),
}

export const startPollers = (tools: PollerTools): Poller[] =>
  Object.values(POLLERS).flatMap((start) => start(tools))
