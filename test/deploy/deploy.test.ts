// The files by which Berth is deployed, held against what they speak of: the Procfile, the settings, and the times that a
// process takes to end. What only a platform can tell is in docs/deploying.md.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { countConnections } from '../../commands/doctor/settings.ts'
import { projectDirectory } from '../../local/folders.ts'
import { parseProcfile } from '../../local/processes/procfile.ts'
import { parseConfig } from '../../shared/config.ts'

type Named<Value> = Record<string, Value>
type Probed = { exec?: { command: string[] } }
type Container = {
  name: string
  command: string[]
  env?: Array<{ name: string }>
  lifecycle?: { preStop: Probed }
}
type Pod = { terminationGracePeriodSeconds?: number; containers: Container[] }
type Manifest = {
  kind: string
  metadata: { name: string }
  data?: Named<string>
  spec: {
    template: { spec: Pod }
    scaleTargetRef: { name: string }
    triggers: Array<{ metadata: Named<string> }>
  }
}
type Service = {
  image: string
  command: string[]
  environment: Named<string>
  stop_grace_period: string
  healthcheck?: { disable?: boolean }
}

const readText = (file: string) => readFileSync(join(projectDirectory, file), 'utf8')
const listFiles = (folder: string) =>
  readdirSync(join(projectDirectory, folder)).map((name) => join(folder, name))
const linesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

const ADDRESSES = { DATABASE_URL: 'postgres://localhost/berth', REDIS_URL: 'redis://localhost' }
const defaults = parseConfig(ADDRESSES)
const processes = parseProcfile(readText('Procfile'))
const commandOf = (name: string) =>
  processes.find((each) => each.name === name)?.command.replace(/^exec /, '') ?? `There is no ${name}`

const compose = parse(readText('compose.yaml'), { merge: true }) as { services: Named<Service> }
const services = Object.entries(compose.services).filter(([, { image }]) => image === 'berth')
const manifests = listFiles('deploy/kubernetes').flatMap((file) =>
  parseAllDocuments(readText(file)).map((document) => document.toJS() as Manifest),
)
const pods = manifests.flatMap(({ kind, spec }) =>
  kind === 'Deployment' || kind === 'Job' ? [{ kind, ...spec.template.spec }] : [],
)
const units = listFiles('deploy/systemd')
  .filter((file) => file.endsWith('.service'))
  .map((file) => ({ file, name: /berth-(\w+)/.exec(file)?.[1] ?? '', text: readText(file) }))
const appJson = JSON.parse(readText('app.json')) as {
  env: Named<{ value?: string }>
  addons: string[]
  formation: Named<{ quantity: number }>
}
const nginx = readText('deploy/nginx/berth.conf')

describe('the files of deployments', () => {
  it('run every process of the Procfile, each by its line', () => {
    const names = processes.map(({ name }) => name)
    // SIGTERM reaches the process, and no shell in between.
    for (const { name, command } of processes) expect(command, name).to.match(/^exec node /)
    expect(services.map(([name]) => name)).to.have.members(names)
    for (const [name, { command }] of services) expect(command.join(' '), name).to.equal(commandOf(name))
    const containers = pods.flatMap((pod) => pod.containers)
    expect(containers.map(({ name }) => name)).to.have.members(names)
    for (const { name, command } of containers) expect(command.join(' '), name).to.equal(commandOf(name))
    expect(units.map(({ name }) => name)).to.have.members(names)
    for (const { file, name, text } of units)
      expect(linesOf(text, 'ExecStart'), file).to.deep.equal([`/usr/bin/${commandOf(name)}`])
    // What Heroku calls a release is none of its formation.
    expect(Object.keys(appJson.formation)).to.have.members(names.filter((name) => name !== 'release'))
    const [, image = ''] = /^CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? []
    expect((JSON.parse(image) as string[]).join(' ')).to.equal(commandOf('web'))
  })

  it('are told about with every process, in the commands and in the order of a release', () => {
    const deploying = readText('docs/deploying.md')
    const [, order = ''] =
      /## Deploying a release\n([\s\S]*?)\n## /.exec(readText('docs/operations.md')) ?? []
    for (const { name } of processes) {
      expect(deploying, 'systemd').to.match(new RegExp(`systemctl .*\\bberth-${name}\\b`))
      expect(deploying, 'Kubernetes').to.match(new RegExp(`kubectl .* -f ${name}\\.yaml`))
      expect(order, name).to.include(`\`${name}\``)
    }
  })

  it('give the processes on Heroku no more connections than their plan has', () => {
    const values = Object.entries(appJson.env).flatMap(([name, { value }]) => (value ? [[name, value]] : []))
    const config = parseConfig({ ...ADDRESSES, ...Object.fromEntries(values) })
    const count = (name: string) => appJson.formation[name]?.quantity ?? 0
    const counts = {
      web: count('web'),
      worker: count('worker'),
      files: count('files'),
      hooks: count('hooks'),
    }
    expect(appJson.addons).to.include('heroku-postgresql:essential-2')
    expect(countConnections(config, counts)).to.be.at.most(40)
  })

  it('name settings that there are', () => {
    const known = [...readText('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name)
    const named = [
      ...services.flatMap(([, { environment }]) => Object.keys(environment)),
      ...manifests.flatMap(({ data }) => Object.keys(data ?? {})),
      ...pods.flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env.map(({ name }) => name))),
      ...units.flatMap(
        ({ text }) =>
          linesOf(text, 'Environment')
            .join(' ')
            .match(/[A-Z_]+(?==)/g) ?? [],
      ),
      ...(readText('deploy/systemd/berth.env').match(/^[A-Z_]+(?==)/gm) ?? []),
      ...Object.keys(appJson.env),
    ]
    expect(named).to.include.members(['DATABASE_URL', 'REDIS_URL', 'TRUST_PROXY', 'PORT'])
    expect(named.filter((name) => !known.includes(name))).to.deep.equal([])
  })

  it('give a process longer to end than it takes', () => {
    const graces: Array<[what: string, seconds: number]> = [
      ...services.map(([name, each]): [string, number] => [
        name,
        Number.parseInt(each.stop_grace_period, 10),
      ]),
      ...units
        .filter(({ name }) => name !== 'release')
        .map(({ file, text }): [string, number] => [file, Number(linesOf(text, 'TimeoutStopSec')[0])]),
      ...pods
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ terminationGracePeriodSeconds = 0, containers: [container] }): [string, number] => {
          const [, pause = '0'] = container?.lifecycle?.preStop.exec?.command ?? []
          return [`${container?.name} in Kubernetes`, terminationGracePeriodSeconds - Number(pause)]
        }),
    ]
    expect(graces).to.have.length(5 + 4 + 4)
    for (const [what, seconds] of graces) expect(seconds * 1_000, what).to.be.above(defaults.drainMs)
  })

  it('let nginx leave a gateway before it closes its connections, and take what a gateway takes', () => {
    const secondsOf = (pattern: RegExp) => [...nginx.matchAll(pattern)].map(([, seconds]) => Number(seconds))
    const times = [...secondsOf(/\bkeepalive_timeout (\d+)s;/g), ...secondsOf(/\bfail_timeout=(\d+)s;/g)]
    expect(times).to.have.length(3)
    for (const seconds of times) expect(seconds * 1_000).to.be.below(defaults.lameDuckMs)
    const [megabytes = 0] = secondsOf(/client_max_body_size (\d+)m;/g)
    expect(megabytes * 1024 * 1024).to.be.above(defaults.fileBytesMax)
    expect(nginx).to.match(/^ *proxy_next_upstream error timeout;$/m)
  })

  it('look at the health of gateways only: nothing else listens', () => {
    for (const [name, { healthcheck }] of services)
      expect(healthcheck?.disable ?? false, name).to.equal(name !== 'web')
  })

  it('scale by a figure that there is, and what there is', () => {
    const scaled = manifests.find(({ kind }) => kind === 'ScaledObject') ?? expect.fail('There is none')
    expect(
      manifests.some(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === scaled.spec.scaleTargetRef.name,
      ),
    ).to.equal(true)
    const [metric = ''] = /berth_\w+/.exec(scaled.spec.triggers[0]?.metadata.query ?? '') ?? []
    expect(readText('gateway/operations/metrics.ts')).to.include(`'${metric}'`)
  })

  it('copy into an image what its build and its processes need, and no more', () => {
    const ignored = readText('.dockerignore').split('\n')
    const kept = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(ignored).to.include('*')
    const tracked = execFileSync('git', ['ls-files'], { cwd: projectDirectory, encoding: 'utf8' })
    const tops = new Set(tracked.split('\n').map((file) => file.split('/')[0]))
    expect(kept.filter((name) => !tops.has(name))).to.deep.equal([])
    const { include } = JSON.parse(readText('tsconfig.build.json')) as { include: string[] }
    expect(kept).to.include.members(include)
    for (const name of ['test', 'docs', '.env', 'node_modules']) expect(kept).to.not.include(name)
  })

  it('are units that systemd can read', function () {
    const files = listFiles('deploy/systemd').filter((file) => !file.endsWith('.env'))
    const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', ...files], {
      cwd: projectDirectory,
      encoding: 'utf8',
    })
    // Only Linux has it.
    if (error) return this.skip()
    // It also reads the units of this machine, and complains of these.
    const complaints = stderr.split('\n').filter((line) => line.includes('berth'))
    expect({ status, complaints }).to.deep.equal({ status: 0, complaints: [] })
  })
})
