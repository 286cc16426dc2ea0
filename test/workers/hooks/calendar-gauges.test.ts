// Tests the figures of room calendars in the metrics of the process `hooks`.
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { createBookable, createRoomCalendar } from '../../support/factories.ts'
import { fetchMetrics, sumMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

describe('the metrics of room calendars', () => {
  const world = useWorld({ workers: [] })
  const lines: string[] = []
  useWith(
    world,
    () => {
      const write = (line: string) => void lines.push(line)
      return startHooks({ ...world.config, metricsPort: 0 }, createLog('hooks', 'info', { write }))
    },
    (hooks) => hooks.stop(),
  )

  const figures = () =>
    eventually(() => {
      const port = /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('It shows none')
      return fetchMetrics(`http://127.0.0.1:${port}`)
    })
  const link = async (calendar: string, row: object = {}) => {
    const bookable_id = await createBookable(world.database, { type: 2 })
    await createRoomCalendar(world.database, { bookable_id, calendar, ...row })
    return bookable_id
  }

  it('count calendars by state, faults by kind, ended notifications and conflicts', async () => {
    const fault = { fault: '{"text":"Fault."}', fault_since: new Date() }
    await link('/in-step/')
    await link('/ending/', { is_ending: true, ...fault, fault_kind: 'forbidden' })
    await link('/linking/', { in_step_at: null })
    await link('/slow/', { in_step_at: null, linked_at: '2020-01-01' })
    await link('/refused/', { ...fault, fault_kind: 'credentials_refused' })
    await link('/gone/', { ...fault, fault_kind: 'not_found', watch: 'a', watch_ends_at: '2020-01-01' })
    const room = await link('/watched/', { watch: 'b', watch_ends_at: '2031-01-01' })
    const conflict = { bookable_id: room, conflict: '{"message":{"text":"Taken."},"free_rooms":[]}' }
    await world.database('calendar_entries').insert([
      { ...conflict, entry_id: 'a', during: '[2031-03-04T10:00Z,2031-03-04T11:00Z)' },
      { ...conflict, entry_id: 'over', during: '[2020-03-04T10:00Z,2020-03-04T11:00Z)' },
    ])
    const found = await figures()
    const states = ['in_step', 'linking', 'not_in_step'].map((state) =>
      sumMetrics(found, 'berth_room_calendars', { state }),
    )
    expect(states).to.deep.equal([2, 1, 3])
    const kinds = ['credentials_refused', 'not_found', 'forbidden'].map((kind) =>
      sumMetrics(found, 'berth_room_calendar_faults', { kind }),
    )
    expect(kinds).to.deep.equal([1, 1, 0])
    expect(sumMetrics(found, 'berth_room_calendar_watches_lost')).to.equal(1)
    expect(sumMetrics(found, 'berth_room_calendar_conflicts')).to.equal(1)
  })
})
