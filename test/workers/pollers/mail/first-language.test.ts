// Tests the language of mails before a person chooses one: it is the language of the browser with which they
// first signed in.
import { expect } from 'chai'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import { createSignInLink } from '../../../support/people/person.ts'
import { useClient } from '../../../support/world.ts'
import { book, type MailedPerson } from './mailed-person.ts'
import { useMails } from './use-mails.ts'

describe('the language of a person’s mail', () => {
  const { world, createPerson, send } = useMails()
  const client = useClient(world)

  const signIn = async ({ user_id }: MailedPerson, language: string) => {
    const browser = new Browser(world.url)
    const sent = { headers: { 'Accept-Language': language } }
    await browser.open(await createSignInLink(world.database, user_id), sent)
    await browser.submit(language.startsWith('de') ? 'Anmelden' : 'Sign in', {}, sent)
  }

  const isGerman = async (person: MailedPerson) => {
    await book(client, person)
    const mail = (await send(person)).at(-1) ?? expect.fail('No mail')
    return mail.text.includes('hat einen Platz für Sie gebucht')
  }

  it('is the language of the browser at the first sign-in', async () => {
    const person = await createPerson()
    await signIn(person, 'de-CH')
    expect(await isGerman(person)).to.equal(true)
  })

  it('stays the same when the person signs in with another browser', async () => {
    const person = await createPerson()
    await signIn(person, 'de')
    await signIn(person, 'en')
    expect(await isGerman(person)).to.equal(true)
  })

  it('is the language in the person’s settings, if one is chosen', async () => {
    const person = await createPerson()
    await signIn(person, 'de')
    await world.database('person_settings').where({ user_id: person.user_id }).update({ language: 'en' })
    expect(await isGerman(person)).to.equal(false)
  })
})
