// A world that sends its mail to an SMTP server of the test, and people who get it.
import { expect } from 'chai'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { createPerson, emailOf, mailSettings } from './mailed-person.ts'
import { useSmtp } from './smtp-server.ts'

export function useMails() {
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: ['writes', 'upkeep'], environment: mailSettings(smtp) }))
  before(() => eventually(async () => expect(await world.database('mail_position')).to.have.length(1)))
  afterEach(() => {
    smtp.refusing = undefined
  })

  const mailsOf = ({ user_id }: { user_id: number }) => world.database('mails').where({ user_id })

  /** Until the changes so far have become mails. */
  async function queued() {
    const { rows } = await world.database.raw('SELECT coalesce(max(sequence), 0) AS newest FROM changes')
    await eventually(async () => {
      const [position] = await world.database('mail_position')
      expect(Number(position.sequence)).to.be.at.least(Number(rows[0].newest))
    })
  }

  /** As if the time had come at which they are sent. Returns all that the person has got. */
  async function send(person: { user_id: number; email: string }) {
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await eventually(async () =>
      expect((await mailsOf(person)).filter(({ next_at }) => next_at !== null)).to.deep.equal([]),
    )
    return smtp.sentTo(person.email)
  }

  return {
    smtp,
    world,
    mailsOf,
    queued,
    send,
    createPerson: (settings?: Parameters<typeof createPerson>[1]) => createPerson(world, settings),
    emailOf: (id: number) => emailOf(world, id),
  }
}
