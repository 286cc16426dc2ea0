// Creates a world that sends its mail to a test SMTP server, and people who receive it.
import { expect } from 'chai'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { createMailSettings, createPerson, emailOf } from './mailed-person.ts'
import { useSmtp } from './smtp-server.ts'

/** `settings` are additional variables of the environment. They may depend on earlier hooks. */
export function useMails(
  settings: () => Record<string, string> = () => ({}),
  onLog?: (line: string) => void,
) {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: { ...createMailSettings(smtp), ...settings() },
    ...(onLog && { onLog }),
  }))
  before(() => eventually(async () => expect(await world.database('mail_position')).to.have.length(1)))
  afterEach(() => {
    smtp.refusing = undefined
  })

  const mailsOf = ({ user_id }: { user_id: number }) => world.database('mails').where({ user_id })

  /** Waits until all changes so far have become mails. */
  async function queued() {
    const { rows } = await world.database.raw('SELECT coalesce(max(sequence), 0) AS newest FROM changes')
    await eventually(async () => {
      const [position] = await world.database('mail_position')
      expect(Number(position.sequence)).to.be.at.least(Number(rows[0].newest))
    })
  }

  /** Makes the person's mails due. Returns all mails that the person has received. */
  async function send(person: { user_id: number; email: string }) {
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await eventually(async () =>
      expect((await mailsOf(person)).filter(({ next_at }) => next_at !== null)).to.deep.equal([]),
    )
    return smtp.sentTo(person.email)
  }

  /** Sends all queued mails as if they were due, except mails that wait for the organizer to choose another room. */
  async function sendAll() {
    await queued()
    const waiting = () =>
      world
        .database('mails')
        .whereNotNull('next_at')
        .whereNot((later) =>
          later.where({ attempts: 0 }).where('next_at', '>', new Date(Date.now() + 60_000)),
        )
    await waiting().whereNull('sent_at').update({ next_at: world.database.fn.now(), error: null })
    // A mail that the server has refused has an error, and later mails of its invitation wait for it.
    const isBehindRefused = `EXISTS (SELECT FROM mails AS earlier
      WHERE earlier.invitation_id = mails.invitation_id AND earlier.error IS NOT NULL)`
    await eventually(async () =>
      expect(await waiting().whereNull('error').whereRaw(`NOT ${isBehindRefused}`)).to.deep.equal([]),
    )
  }

  return {
    smtp,
    world,
    mailsOf,
    queued,
    send,
    sendAll,
    createPerson: (settings?: Parameters<typeof createPerson>[1]) => createPerson(world, settings),
    emailOf: (id: number) => emailOf(world, id),
  }
}
