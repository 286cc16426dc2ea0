// Webhooks in German: counts, and what workers stored about them in English.
import { expect } from 'chai'
import { type Message, message } from '../../../../../shared/messages/message.ts'
import { writeEnglish } from '../../../../../shared/messages/write-message.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createDelivery, createWebhook } from '../../../../support/dashboard/webhook-examples.ts'
import { useWorld } from '../../../../support/world.ts'

const errorOf = (told: Message) => ({ error: writeEnglish(told), error_message: told })
const LIST = '/dashboard/integrations/webhooks'

describe('webhooks in German', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  const english = useSignedIn(world, 'english@example.com')
  before(() => browser.cookies.set('berth_language', 'de'))

  it('say why Berth has switched one off, to each visitor in their language', async () => {
    const disabled_reason = 'No delivery succeeded for five days.'
    await createWebhook(world.database, { enabled: false, disabled_reason })
    await browser.open('/dashboard')
    expect(browser.words).to.include(
      'Berth hat den Webhook Lobby display abgeschaltet. Fünf Tage lang ist keine Zustellung gelungen.',
    )
    await english.open('/dashboard')
    expect(english.words)
      .to.include('Berth has switched off the webhook Lobby display')
      .and.include(disabled_reason)
  })

  it('show the result of a delivery, and send all failed ones again', async () => {
    const id = await createWebhook(world.database)
    const failed = { attempts: 9, next_at: null, took_ms: 12 }
    const none = await createDelivery(world.database, id, {
      ...failed,
      ...errorOf(message`no answer within ${10} s`),
    })
    await browser.open(`${LIST}/${id}/deliveries/${none}`)
    expect(browser.words)
      .to.include('fehlgeschlagen an https://hooks.example.net/berth')
      .and.include('keine Antwort innerhalb von 10 s')
    await browser.open(`${LIST}/${id}`)
    await browser.submit('Noch einmal senden', { hours: '1' })
    expect(browser.words).to.include('1 Zustellung wird noch einmal gesendet.')
    await world.database('webhook_deliveries').where({ webhook_id: id }).update(failed)
    await createDelivery(world.database, id, { ...failed, error: 'socket hang up' })
    await browser.open(`${LIST}/${id}`)
    await browser.submit('Noch einmal senden', { hours: '1' })
    expect(browser.words).to.include('2 Zustellungen werden noch einmal gesendet.')
  })

  it('say in German why there was no answer, and show texts of an older release unchanged', async () => {
    const id = await createWebhook(world.database)
    const inside = errorOf(message`${'10.0.0.7'} is in a private network`)
    const gone = errorOf(message`the change is no longer kept`)
    await createDelivery(world.database, id, { attempts: 1, took_ms: 1, ...inside })
    // The previous release has retried since, and does not know the message.
    await createDelivery(world.database, id, { attempts: 2, took_ms: 1, ...gone, error: 'socket hang up' })
    await createDelivery(world.database, id, { attempts: 1, took_ms: 1, error: 'no answer within 10 s' })
    await browser.open(`${LIST}/${id}`)
    expect(browser.words)
      .to.include('10.0.0.7 liegt in einem privaten Netz')
      .and.include('socket hang up')
      .and.include('no answer within 10 s')
      .and.not.include('nicht mehr gespeichert')
  })

  it('show the errors of a form in German', async () => {
    await browser.open(`${LIST}/new`)
    await browser.submit('Webhook erstellen', { url: 'ftp://example.com' })
    expect(browser.words).to.include('URL muss eine http- oder https-Adresse ohne Benutzernamen sein.')
    await browser.submit('Webhook erstellen', { url: 'https://example.com', actions: 'room.lost' })
    expect(browser.words).to.include('„room.lost“ ist unbekannt.')
    await browser.submit('Webhook erstellen', { url: 'https://example.com', actions: '' })
    expect(browser.words).to.include('Wählen Sie mindestens eines.')
  })
})
