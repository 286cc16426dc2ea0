// Tests the counter of requests to calendar providers in the metrics of the process `hooks`.
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { fetchMetrics, sumMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'
import { createSettings } from '../calendars/engine-world.ts'
import { openMicrosoft } from '../calendars/provider-worlds.ts'

const OUTCOMES = ['done', 'refused', 'throttled', 'failed', 'unanswered']

describe('the metric of requests to calendar providers', () => {
  const world = useWorld({ workers: [] })

  async function start(calendars: ReturnType<typeof createSettings> | undefined) {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const log = createLog('hooks', 'info', { write })
    const hooks = await startHooks({ ...world.config, metricsPort: 0, calendars }, log)
    const figures = async () => {
      const port = /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('It shows none')
      return fetchMetrics(`http://127.0.0.1:${port}`)
    }
    return { hooks, figures }
  }

  it('counts requests by provider and outcome, and begins with 0 for each outcome', async () => {
    const outside = await openMicrosoft()
    const list = ({ url }: { url: URL }) => url.pathname.includes('/places/')
    const { hooks, figures } = await start(createSettings(outside))
    const readCounts = async () => {
      const found = await figures()
      return OUTCOMES.map((outcome) =>
        sumMetrics(found, 'berth_room_calendar_requests_total', { provider: 'microsoft', outcome }),
      )
    }
    try {
      // A token, and the two pages of the list of rooms.
      await eventually(async () => expect(await readCounts()).to.deep.equal([3, 0, 0, 0, 0]))
      const answers = [
        { status: 403, body: { error: { code: 'ErrorAccessDenied', message: 'Access is denied.' } } },
        { status: 429, headers: { 'Retry-After': '1' } },
        { status: 403, body: { error: { errors: [{ reason: 'rateLimitExceeded' }] } } },
        { status: 502 },
        undefined,
      ]
      for (const [index, answer] of answers.entries()) {
        outside.proxy.faults.push({ matches: list, ...(answer && { answer }) })
        await world.database('calendar_providers').update({ next_list_at: new Date(0) })
        await eventually(async () => {
          const counts = await readCounts()
          expect(counts.reduce((sum, each) => sum + each)).to.equal(4 + index)
        })
      }
      expect(await readCounts()).to.deep.equal([3, 1, 2, 1, 1])
    } finally {
      await hooks.stop()
      await outside.close()
    }
  })

  it('is absent where no provider has settings', async () => {
    const { hooks, figures } = await start(undefined)
    const found = await eventually(figures)
    expect(found.map(({ name }) => name)).not.to.include('berth_room_calendar_requests_total')
    await hooks.stop()
  })
})
