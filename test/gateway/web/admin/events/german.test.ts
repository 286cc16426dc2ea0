// Events in German: sentences with German word order, counts, and the refusals of workers.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createEvent } from '../../../../support/factories.ts'
import { clockFrom } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')

describe('events in German', () => {
  const world = useWorld({ now: clockFrom(NOW) })
  const browser = useSignedIn(world)
  before(() => browser.cookies.set('berth_language', 'de'))

  it('say which people and rooms a cancellation affects', async () => {
    const times = { from: '2026-11-26T09:00:00Z', to: '2026-11-26T10:00:00Z' }
    const event_id = await createEvent(world.database, {
      name: 'Party',
      from_timezone: 'Europe/Berlin',
      ...times,
    })
    await createBooking(world.database, { event_id, ...times })
    const invite = (email: string) => world.database('event_attendees').insert({ event_id, email })
    await invite('one@example.com')
    await browser.open(`/dashboard/events/${event_id}/cancel`)
    expect(browser.words)
      .to.include('„Party“ absagen?')
      .and.include(
        'Beginn: 26. Nov. 2026, 10:00 MEZ. 1 Person ist eingeladen; Berth benachrichtigt sie nicht.',
      )
      .and.include('1 Raum wird wieder frei.')
    await invite('two@example.com')
    await createBooking(world.database, { event_id, ...times })
    await browser.open(`/dashboard/events/${event_id}/cancel`)
    expect(browser.words).to.include('2 Personen sind eingeladen').and.include('2 Räume werden wieder frei.')
    await browser.submit('Termin absagen')
    expect(browser.words)
      .to.include('Termin abgesagt. Seine Räume sind wieder frei.')
      .and.include('Details abgesagt')
  })

  it('suggest other searches in one sentence with links', async () => {
    await browser.open('/dashboard/events?name=nothing')
    expect(browser.words).to.include(
      'Versuchen Sie andere Tage oder weniger Wörter, sehen Sie sich die kommende Woche an oder erstellen Sie einen Termin',
    )
    await browser.follow('erstellen Sie einen Termin')
    expect(browser.words).to.include('Jeder Termin braucht einen Organisator.')
  })

  it('are refused in German by gateway and worker', async () => {
    const times = { from: '2026-11-19T09:00:00Z', to: '2026-11-19T10:00:00Z' }
    const id = await createEvent(world.database, times)
    await browser.open(`/dashboard/events/${id}/cancel`)
    expect((await browser.submit('Termin absagen')).status).to.equal(409)
    expect(browser.words, 'by a worker').to.include('Der Termin ist beendet (10:00 am 19. Nov. 2026).')
    await browser.open(`/dashboard/events/${id}/change`)
    expect((await browser.submit('Änderungen speichern')).status).to.equal(409)
    expect(browser.words, 'by the page').to.include(
      'Der Termin ist vorbei und kann nicht mehr geändert werden.',
    )
    await browser.submit('Änderungen speichern', { name: '', to_time: '' })
    expect(browser.words, 'by the form').to.include('Name fehlt.').and.include('Bis fehlt.')
  })
})
