// Creates people who receive mail, their bookings, and the settings of processes that send mail to a test
// server.
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import type { Client } from '../../../support/http/http.ts'
import type { World } from '../../../support/world.ts'
import type { TestSmtp } from './smtp-server.ts'

export const createMailSettings = ({ port }: Pick<TestSmtp, 'port'>) => ({
  PUBLIC_URL: 'http://desks.example.com',
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'Berth <berth@example.com>',
})

type PersonSettings = { language?: string; muted_mails?: string[]; visibility?: string }
export type MailedPerson = {
  user_id: number
  email: string
  bookable_id: number
  location_id: number
  name: string
}

export const emailOf = async ({ database }: World, id: number) =>
  String((await database('users').where({ id }).first('email')).email)

/** Creates a person with a desk. */
export async function createPerson(world: World, settings: PersonSettings = {}): Promise<MailedPerson> {
  const desk = await createDesk(world.database)
  await world.database('person_settings').insert({ user_id: desk.user_id, ...settings })
  const { name } = await world.database('bookables').where({ id: desk.bookable_id }).first('name')
  return { ...desk, email: await emailOf(world, desk.user_id), name: String(name) }
}

export async function book(client: Client, { bookable_id, location_id, user_id }: MailedPerson, hour = 30) {
  const times = { from_time: hoursFromNow(hour), to_time: hoursFromNow(hour + 2) }
  const made = await client.post('bookings', { bookable_id, location_id, user_id, ...times })
  expect(made.status, made.text).to.equal(200)
  return Number(made.json.data[0].id)
}
