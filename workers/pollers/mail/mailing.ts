// Sends the mail that waits in the database. A timer and no Redis queue: a queue would hold links in the clear,
// and could send mail for a write that was undone. Several processes share it; one that dies loses nothing.
import type { Knex } from 'knex'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { noteFailed, noteSent, takeDueMail } from './mails.ts'
import { composeMail } from './messages.ts'
import { type Mail, MailFailure, openSmtp } from './smtp.ts'

const EVERY_MS = 2_000

/** Returns the function that stops it; a mail under way is finished. */
export function keepMailing(database: Knex, settings: MailSettings, log: Log): Poller {
  const send = openSmtp(settings)
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'the mail queue works again'),
    fault: 'the mail queue does not work',
    async work(isStopping) {
      while (!isStopping() && (await sendNext({ database, settings, send, log })));
    },
  })
}

type Tools = { database: Knex; settings: MailSettings; send: (mail: Mail) => Promise<void>; log: Log }

/** Returns whether there was a mail. */
async function sendNext({ database, settings, send, log }: Tools): Promise<boolean> {
  const due = await takeDueMail(database)
  if (!due) return false
  const { id, kind, adminId, attempts } = due
  const about = { mail: id, kind, adminId, attempts }
  try {
    await send(composeMail(due, settings.publicUrl))
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const isGivenUp = await noteFailed(database, due, error)
    log.warn({ ...about, code: error.code, isGivenUp }, 'a mail could not be sent')
    return true
  }
  await noteSent(database, due)
  log.info(about, 'mail sent')
  return true
}
