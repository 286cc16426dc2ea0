// Administrators for an owner who reads German: roles in sentences, and the result of a mail as the worker stored it.
import { expect } from 'chai'
import { message } from '../../../../../shared/messages/message.ts'
import { createCheapAdmin } from '../../../../support/dashboard/administrators.ts'
import { PASSWORD, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createWebhook } from '../../../../support/dashboard/webhook-examples.ts'
import { useWorld } from '../../../../support/world.ts'

const LIST = '/dashboard/settings/administrators'

describe('administrators in German', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  before(() => browser.cookies.set('berth_language', 'de'))

  it('have the name of their role', async () => {
    await createCheapAdmin(world.database, { email: 'desk@example.com', password: PASSWORD, role: 'reader' })
    const { id } = await world.database('admins').where({ email: 'desk@example.com' }).first('id')
    await browser.open(`${LIST}/${id}`)
    await browser.submit('Rolle speichern', { role: 'front-desk' })
    expect(browser.words).to.include('Die Rolle ist jetzt Empfang.')
    await browser.open(LIST)
    expect(browser.words).to.include('desk@example.com Empfang')
    await browser.press('desk@example.com ändern')
    expect(browser.words).to.include('Erstellt und ändert Buchungen und Termine; sieht Orte und Personen.')
  })

  it('see which server refused a mail', async () => {
    await createCheapAdmin(world.database, { email: 'mail@example.com', password: PASSWORD, role: 'reader' })
    const { id } = await world.database('admins').where({ email: 'mail@example.com' }).first('id')
    const error = JSON.stringify(message`The mail server refused the address${' (450)'}.`)
    const webhook_id = await createWebhook(world.database)
    await world.database('mails').insert({ kind: 'webhook-disabled', admin_id: id, webhook_id, error })
    await browser.open(`${LIST}/${id}`)
    expect(browser.words).to.include(
      'Die letzte E-Mail an mail@example.com wurde nicht gesendet. Der Mailserver hat die Adresse abgelehnt (450). Es wird noch einmal versucht.',
    )
  })

  it('always include an owner: the worker’s refusal is in German', async () => {
    const { id } = await world.database('admins').where({ email: 'admin@example.com' }).first('id')
    await browser.open(`${LIST}/${id}`)
    expect((await browser.submit('Rolle speichern', { role: 'reader' })).status).to.equal(409)
    expect(browser.words).to.include('Das ist der einzige Inhaber.')
  })
})
