// Starts the processes that deploy/ describes, with the environment that they have there, and holds that each rule of
// docs/operations/alerts.yml has data: a rule over nothing never fires.
import { expect } from 'chai'
import { parse } from 'yaml'
import { projectDirectory } from '../../local/tools/folders.ts'
import { readMonitoring } from '../gateway/server/operations/monitoring-files.ts'
import { type Figure, fetchFigures } from '../support/figures.ts'
import { type Child, startLine } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'
import { type Described, describePods, describeServices, describeUnits } from './described.ts'
import { appJson } from './files.ts'

type Selector = {
  text: string
  name: string
  matchers: Array<[label: string, operator: string, value: string]>
}
type Shown = { described: Described; url: string; child: Child }

// Of those there is none as long as all is well, or as nobody has set up what they tell of.
const MAY_BE_ABSENT = [/status=~"5\.\."/, /^berth_replica_up/, /^ALERTS/]
// The figures of mail are shown where mail is sent. Nothing listens there, so no mail leaves.
const WITH_MAIL = {
  WRITE_WAIT_MS: '10000',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'Berth <berth@example.com>',
  PUBLIC_URL: 'https://berth.example.com',
  PEOPLE_PAGES: 'on',
}
// Upkeep comes every minute.
const FIGURES_MS_MAX = 150_000

function readSelectors(): Selector[] {
  const { groups } = parse(readMonitoring('alerts.yml')) as {
    groups: Array<{ name: string; rules: Array<{ expr: string }> }>
  }
  // The disks of machines are shown by the node exporter.
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

function matches({ labels }: Figure, [label, operator, value]: Selector['matchers'][number]): boolean {
  const found = labels[label] ?? ''
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value
  return operator.startsWith('!') ? !isEqual : isEqual
}

const jobOf = ({ name }: Described) => (name === 'web' ? 'berth-gateway' : 'berth-worker')

describe('the deployed processes', function () {
  this.timeout(400_000)
  const world = useWorld({ workers: [] })
  const started: Child[] = []

  afterEach(async () => {
    for (const child of started) child.kill('SIGTERM')
    await Promise.all(started.splice(0).map(({ ended }) => ended))
  })

  async function start(all: Described[]): Promise<Shown[]> {
    const children = all.map(({ command, environment }) => {
      const child = startLine(`exec ${command}`, { ...environment, ...WITH_MAIL }, projectDirectory)
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

  async function readAll(shown: Shown[]): Promise<Figure[]> {
    const all = await Promise.all(
      shown.map(async ({ described, url }) => {
        const figures = await fetchFigures(url)
        return figures.map((figure) => ({ ...figure, labels: { ...figure.labels, job: jobOf(described) } }))
      }),
    )
    return all.flat()
  }

  const kinds: Record<string, (addresses: { DATABASE_URL: string; REDIS_URL: string }) => Described[]> = {
    'systemd, on one machine, with a berth.env that names every port': describeUnits,
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
      const selectors = readSelectors().filter(({ text }) => !MAY_BE_ABSENT.some((each) => each.test(text)))
      expect(selectors.length).to.be.above(20)
      await eventually(async () => {
        const figures = await readAll(shown)
        const empty = selectors.filter(
          ({ name, matchers }) =>
            !figures.some(
              (figure) => figure.name === name && matchers.every((each) => matches(figure, each)),
            ),
        )
        expect(empty.map(({ text }) => text)).to.deep.equal([])
      }, FIGURES_MS_MAX)
    })
  }

  it('export their metrics on Heroku too', () => {
    expect(appJson.env['METRICS_PORT']?.value).to.match(/^\d+$/)
  })
})
