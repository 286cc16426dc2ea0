// The alerts, their pages and the dashboard of docs/operations use only metrics that Berth exports. Whether the alerts fire
// is tested by test/scale/monitoring.test.ts, with Prometheus.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../workers/hooks/hooks.ts'
import { createSlot } from '../../../support/faults/pipeline.ts'
import { type Figure, parseFigures } from '../../../support/figures.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { mailSettings } from '../../../workers/pollers/mail/mailed-person.ts'
import {
  expressionsOf,
  listPages,
  metricsIn,
  readAlerts,
  readDashboard,
  readMonitoring,
} from './monitoring-files.ts'

const SUFFIX = /_(bucket|sum|count)$/

describe('the monitoring files', () => {
  const lines: string[] = []
  const world = useWorld({
    workers: [],
    environment: {
      METRICS_PORT: '0',
      WRITE_WAIT_MS: '50000',
      // No mail server listens there, and no mail is sent.
      ...mailSettings({ port: 1 }),
    },
    onLog: (line) => void lines.push(line),
  })
  const client = useClient(world)
  const types = new Set<string>()
  let figures: Figure[] = []
  const hookLines: string[] = []
  // It ends before its database is dropped.
  useWith(
    world,
    () => {
      const write = (line: string) => void hookLines.push(line)
      return startHooks({ ...world.config, metricsPort: 0 }, createLog('hooks', 'info', { write }))
    },
    (hooks) => hooks.stop(),
  )

  async function read(url: string) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) types.add(name)
    figures = [...figures, ...parseFigures(text)]
  }

  before(async () => {
    await world.startWorkers(['writes', 'upkeep'])
    // This is not a replica, which does not matter here.
    const gateway = await world.startGateway({
      DATABASE_READ_URL: `${world.databaseUrl}?application_name=reads`,
    })
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
    await client.get('groups')
    const shownAt = (from: string[]) =>
      eventually(() => /"metricsPort":(\d+)/.exec(from.join(''))?.[1] ?? expect.fail('None'))
    const ports = [await shownAt(lines), await shownAt(hookLines)]
    for (const url of [world.url, gateway.url, ...ports.map((port) => `http://127.0.0.1:${port}`)])
      await read(url)
  })

  const sources = {
    'alerts.yml': () => readMonitoring('alerts.yml'),
    'alerts.test.yml': () => readMonitoring('alerts.test.yml'),
    'dashboard.json': () => expressionsOf(readDashboard()).join('\n'),
    'the pages of alerts': () => listPages().map(readMonitoring).join('\n'),
    'docs/operations.md': () =>
      readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8').split('## Monitoring')[1] ?? '',
  }

  for (const [source, text] of Object.entries(sources)) {
    it(`use only exported metrics and labels: ${source}`, () => {
      const named = metricsIn(text())
      expect(named).to.not.have.length(0)
      for (const { name, labels } of named) {
        expect([...types], name).to.include(types.has(name) ? name : name.replace(SUFFIX, ''))
        const shown = figures
          .filter((figure) => figure.name === name)
          .flatMap((figure) => Object.keys(figure.labels))
        if (shown.length > 0) expect(shown, name).to.include.members(labels)
      }
    })
  }

  it('have a page for each alert, which says what it means and what to do, and no other page', () => {
    const alerts = readAlerts()
    expect(alerts).to.have.length(readMonitoring('alerts.yml').split('- alert:').length - 1)
    expect(alerts.map(({ page }) => page).sort()).to.deep.equal(listPages().sort())
    for (const { name, page } of alerts) {
      const text = readMonitoring(page)
      expect(text, page).to.match(new RegExp(`^# ${name}\n`))
      for (const part of ['What it means.', 'What to look at.', 'What to do.'])
        expect(text, page).to.include(`**${part}**`)
    }
  })

  it('test each alert in a case in which it fires', () => {
    const tried = readMonitoring('alerts.test.yml')
    for (const { name, page } of readAlerts()) {
      expect(tried, name).to.include(`alertname: ${name}\n`)
      expect(tried, name).to.include(`runbook: docs/operations/${page}`)
    }
  })

  it('have dashboard panels with positions and ids of their own, which fit the width', () => {
    const { panels, uid, schemaVersion } = readDashboard()
    expect([uid, schemaVersion]).to.deep.equal(['berth', 39])
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length)
    for (const { title, gridPos } of panels) expect(gridPos.x + gridPos.w, title).to.be.at.most(24)
    const taken = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(taken).size).to.equal(panels.length)
  })
})
