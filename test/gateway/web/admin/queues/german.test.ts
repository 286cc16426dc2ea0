// The queues in German: several administrators who look at the same moment see them in their own languages.

import { expect } from 'chai'
import { COOKIES } from '../../../../../gateway/web/sessions/cookies.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { failJob } from '../../../../support/dashboard/failed-jobs.ts'
import { useWrites } from '../../../../support/faults/pipeline.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const PAGE = '/dashboard/queue-health'

describe('the queues in German', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  const writes = useWrites(world)
  before(() => {
    browser.cookies.set(COOKIES.language, 'de')
  })

  it('are in each administrator’s own language, at the same time', async () => {
    const english = await createSignedIn(world, 'english@example.com')
    await Promise.all([browser.open(PAGE), english.open(PAGE), browser.open(PAGE)])
    expect(browser.words).to.include('Für die Warteschlange „imports“ läuft kein Worker.')
    expect(browser.words).to.not.include('No worker')
    expect(english.words).to.include('No worker is running for the “imports” queue.')
    expect(english.words).to.not.include('kein Worker')
  })

  it('count the jobs that failed', async () => {
    const seen = (words: string) =>
      eventually(async () => {
        await browser.open(PAGE)
        expect(browser.words).to.include(words)
      })
    await failJob(writes.queue)
    await seen('1 Auftrag in der Warteschlange „writes“ ist in der letzten Stunde fehlgeschlagen.')
    await failJob(writes.queue, {}, 'nothing.known')
    await seen('2 Aufträge in der Warteschlange „writes“ sind in der letzten Stunde fehlgeschlagen.')
    expect(browser.words).to.include('unbekannter Auftrag').and.include('Diesen Auftrag gibt es nicht')
  })

  it('name the migrations that are pending', async () => {
    const [last] = await world.database('migrations').orderBy('name', 'desc').limit(1)
    await world.database('migrations').where({ name: last.name }).delete()
    try {
      await eventually(async () => {
        await browser.open(PAGE)
        expect(browser.words).to.include(`Ausstehende Migrationen: ${last.name}`)
      })
    } finally {
      await world.database('migrations').insert(last)
    }
  })

  it('have their jobs and refusals in German', async () => {
    const failed = await failJob(writes.queue)
    await browser.open(`/dashboard/queues/writes/jobs/${failed}`)
    expect(browser.words).to.include('Fehlgeschlagen')
    await browser.open('/dashboard/queues/writes/retry-failed')
    await browser.submit('Fehlgeschlagene Aufträge wiederholen')
    expect(browser.words).to.include('Änderungen können Sie hier nicht wiederholen')
  })
})
