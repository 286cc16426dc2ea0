// Starts the processes of deploy/ in their documented environment, and checks that each rule of
// docs/operations/alerts.yml has data: a rule without data never fires.
import { expect } from 'chai'
import { parse } from 'yaml'
import { projectDirectory } from '../../local/tools/folders.ts'
import { readMonitoring } from '../gateway/server/operations/monitoring-files.ts'
import { fetchMetrics, type Metric } from '../support/figures.ts'
import { type Child, startLine } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'
import { type DescribedProcess, describePods, describeServices, describeUnits } from './described.ts'
import { appJson } from './files.ts'

type Selector = {
  text: string
  name: string
  matchers: Array<[label: string, operator: string, value: string]>
}
type StartedProcess = { described: DescribedProcess; url: string; child: Child }

// Time series that do not exist while there are no errors, or before the measured feature is set up.
const OPTIONAL_SERIES_PATTERNS = [/status=~"5\.\."/, /^berth_replica_up/, /^ALERTS/]
// Mail metrics exist only where mail is sent. Nothing listens at this address, so no mail is sent.
const MAIL_ENVIRONMENT = {
  WRITE_WAIT_MS: '10000',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'Berth <berth@example.com>',
  PUBLIC_URL: 'https://berth.example.com',
  PEOPLE_PAGES: 'on',
}
// Long enough for upkeep, which runs every minute.
const FIGURES_MS_MAX = 150_000

function readSelectors(): Selector[] {
  const { groups } = parse(readMonitoring('alerts.yml')) as {
    groups: Array<{ name: string; rules: Array<{ expr: string }> }>
  }
  // The node exporter provides the disk metrics of machines.
  const rules = groups.filter(({ name }) => name === 'berth').flatMap(({ rules }) => rules)
  return rules.flatMap(({ expr }) =>
    [...expr.matchAll(/\b((?:berth|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([text, name = '', list = '']) => ({
      text,
      name,
      matchers: [...list.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']): [string, string, string] => [label, operator, value],
      ),
    })),
  )
}

function matchesSelector(
  { labels }: Metric,
  [label, operator, value]: Selector['matchers'][number],
): boolean {
  const found = labels[label] ?? ''
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value
  return operator.startsWith('!') ? !isEqual : isEqual
}

const getPrometheusJob = ({ name }: DescribedProcess) => (name === 'web' ? 'berth-gateway' : 'berth-worker')

describe('the deployed processes', function () {
  this.timeout(400_000)
  const world = useWorld({ workers: [] })
  const started: Child[] = []

  afterEach(async () => {
    for (const child of started) child.kill('SIGTERM')
    await Promise.all(started.splice(0).map(({ ended }) => ended))
  })

  async function start(all: DescribedProcess[]): Promise<StartedProcess[]> {
    const children = all.map(({ command, environment }) => {
      const child = startLine(`exec ${command}`, { ...environment, ...MAIL_ENVIRONMENT }, projectDirectory)
      started.push(child)
      return child
    })
    return Promise.all(
      all.map(async (described, index) => {
        const child = children[index] as Child
        const isGateway = described.name === 'web'
        const { port, metricsPort } = await child.line(isGateway ? 'listening' : 'showing metrics')
        return {
          described,
          child,
          url: `http://${described.environment['HOST']}:${isGateway ? port : metricsPort}`,
        }
      }),
    )
  }

  async function readAll(shown: StartedProcess[]): Promise<Metric[]> {
    const all = await Promise.all(
      shown.map(async ({ described, url }) => {
        const figures = await fetchMetrics(url)
        return figures.map((figure) => ({
          ...figure,
          labels: { ...figure.labels, job: getPrometheusJob(described) },
        }))
      }),
    )
    return all.flat()
  }

  const kinds: Record<
    string,
    (addresses: { DATABASE_URL: string; REDIS_URL: string }) => DescribedProcess[]
  > = {
    'systemd on one machine, with a berth.env that sets every port': describeUnits,
    'Docker Compose': describeServices,
    Kubernetes: describePods,
  }
  for (const [kind, describeAll] of Object.entries(kinds)) {
    it(`export every metric that the alerts use: ${kind}`, async () => {
      const shown = await start(describeAll({ DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }))
      expect(new Set(shown.map(({ url }) => url)).size).to.equal(shown.length)
      for (const { described, url } of shown)
        if (described.scrapedPort) expect(new URL(url).port, described.name).to.equal(described.scrapedPort)
      if (kind === 'Kubernetes')
        expect(shown.filter(({ described }) => !described.scrapedPort)).to.deep.equal([])
      for (const { url } of shown)
        await eventually(async () => expect((await fetch(`${url}/readyz`)).status, url).to.equal(200))
      const { token = '' } = await world.client('read')
      for (const { described, url } of shown)
        if (described.name === 'web')
          await fetch(`${url}/api/v1/groups`, { headers: { Authorization: `Bearer ${token}` } })
      const selectors = readSelectors().filter(
        ({ text }) => !OPTIONAL_SERIES_PATTERNS.some((each) => each.test(text)),
      )
      expect(selectors.length).to.be.above(20)
      await eventually(async () => {
        const figures = await readAll(shown)
        const empty = selectors.filter(
          ({ name, matchers }) =>
            !figures.some(
              (figure) => figure.name === name && matchers.every((each) => matchesSelector(figure, each)),
            ),
        )
        expect(empty.map(({ text }) => text)).to.deep.equal([])
      }, FIGURES_MS_MAX)
    })
  }

  it('also export their metrics on Heroku', () => {
    expect(appJson.env['METRICS_PORT']?.value).to.match(/^\d+$/)
  })
})
