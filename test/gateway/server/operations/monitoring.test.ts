// Tests that the alerts, their pages and the dashboard in docs/operations use only metrics that Berth
// exports. test/scale/monitoring.test.ts tests with Prometheus whether the alerts fire.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../workers/hooks/hooks.ts'
import { createSlot } from '../../../support/faults/pipeline.ts'
import { type Metric, parseMetrics } from '../../../support/figures.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { createMailSettings } from '../../../workers/pollers/mail/mailed-person.ts'
import {
  findMetrics,
  listExpressions,
  listPages,
  readAlerts,
  readDashboard,
  readMonitoring,
} from './monitoring-files.ts'

const METRIC_SUFFIX = /_(bucket|sum|count)$/

describe('the files for Prometheus and Grafana', () => {
  const lines: string[] = []
  const world = useWorld({
    workers: [],
    environment: {
      METRICS_PORT: '0',
      WRITE_WAIT_MS: '50000',
      // No mail server listens at this port, because the tests send no mail.
      ...createMailSettings({ port: 1 }),
    },
    onLog: (line) => void lines.push(line),
  })
  const client = useClient(world)
  const types = new Set<string>()
  let figures: Metric[] = []
  const hookLines: string[] = []
  // Stops the process before its database is dropped.
  useWith(
    world,
    () => {
      const write = (line: string) => void hookLines.push(line)
      const calendars = {
        // No server listens at this port. A process has the metrics of calendars only with the settings of a provider.
        caldav: { url: 'http://127.0.0.1:1/', user: 'berth', password: 'none' },
        microsoft: undefined,
        google: undefined,
        allowPrivate: ['127.0.0.1'],
        pollSeconds: 300,
        appliesRules: false,
        usesOrganizerMailboxes: false,
      }
      return startHooks({ ...world.config, metricsPort: 0, calendars }, createLog('hooks', 'info', { write }))
    },
    (hooks) => hooks.stop(),
  )

  async function read(url: string) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) types.add(name)
    figures = [...figures, ...parseMetrics(text)]
  }

  before(async () => {
    await world.startWorkers(['writes', 'upkeep'])
    // Uses the primary as the replica, which makes no difference for metrics.
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
    'dashboard.json': () => listExpressions(readDashboard()).join('\n'),
    'the pages of alerts': () => listPages().map(readMonitoring).join('\n'),
    'docs/operations.md': () =>
      readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8').split('## Monitoring')[1] ?? '',
  }

  for (const [source, text] of Object.entries(sources)) {
    it(`use only metrics and labels that Berth exports: ${source}`, () => {
      const named = findMetrics(text())
      expect(named).to.not.have.length(0)
      for (const { name, labels } of named) {
        expect([...types], name).to.include(types.has(name) ? name : name.replace(METRIC_SUFFIX, ''))
        const shown = figures
          .filter((figure) => figure.name === name)
          .flatMap((figure) => Object.keys(figure.labels))
        if (shown.length > 0) expect(shown, name).to.include.members(labels)
      }
    })
  }

  it('include a page for each alert that says what the alert means and what to do', () => {
    const alerts = readAlerts()
    expect(alerts).to.have.length(readMonitoring('alerts.yml').split('- alert:').length - 1)
    expect(alerts.map(({ page }) => page).sort()).to.deep.equal(listPages().sort())
    for (const { name, page } of alerts) {
      const text = readMonitoring(page)
      expect(text, page).to.match(new RegExp(`^# ${name}\n`))
      for (const part of ['Meaning.', 'Check.', 'Fix.']) expect(text, page).to.include(`**${part}**`)
    }
  })

  it('include, for each alert, a test in which it fires', () => {
    const tried = readMonitoring('alerts.test.yml')
    for (const { name, page } of readAlerts()) {
      expect(tried, name).to.include(`alertname: ${name}\n`)
      expect(tried, name).to.include(`runbook: docs/operations/${page}`)
    }
  })

  it('give each dashboard panel a unique id, and a position that fits the width', () => {
    const { panels, uid, schemaVersion } = readDashboard()
    expect([uid, schemaVersion]).to.deep.equal(['berth', 39])
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length)
    for (const { title, gridPos } of panels) expect(gridPos.x + gridPos.w, title).to.be.at.most(24)
    const taken = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(taken).size).to.equal(panels.length)
  })
})
