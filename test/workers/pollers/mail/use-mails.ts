// A world that sends its mail to an SMTP server of the test, and people who get it.
import { expect } from 'chai'
import { createDesk } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { useSmtp } from './smtp-server.ts'

type Settings = { language?: string; muted_mails?: string[]; visibility?: string }

export function useMails() {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
  }))
  before(() => eventually(async () => expect(await world.database('mail_position')).to.have.length(1)))
  afterEach(() => {
    smtp.refusing = undefined
  })

  const emailOf = async (id: number) =>
    String((await world.database('users').where({ id }).first('email')).email)

  /** A person with a desk. */
  async function createPerson(settings: Settings = {}) {
    const desk = await createDesk(world.database)
    await world.database('person_settings').insert({ user_id: desk.user_id, ...settings })
    const { name } = await world.database('bookables').where({ id: desk.bookable_id }).first('name')
    return { ...desk, email: await emailOf(desk.user_id), name: String(name) }
  }

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

  return { smtp, world, createPerson, emailOf, mailsOf, queued, send }
}

export type Mails = ReturnType<typeof useMails>
export type MailedPerson = Awaited<ReturnType<Mails['createPerson']>>
