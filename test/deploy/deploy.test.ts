// Compares the deployment files with the Procfile, the settings, and the time that a process needs to stop.
// docs/deploying.md lists checks that need a real platform.
import { execFileSync, spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { countConnections } from '../../commands/doctor/settings.ts'
import { projectDirectory } from '../../local/tools/folders.ts'
import { parseConfig } from '../../shared/settings/config.ts'
import {
  appJson,
  compose,
  findProcfileCommand,
  findUnitCommand,
  listFiles,
  listLines,
  manifests,
  nginx,
  pods,
  processes,
  readText,
  services,
  units,
} from './files.ts'

const CONNECTION_URLS = { DATABASE_URL: 'postgres://localhost/berth', REDIS_URL: 'redis://localhost' }
const defaults = parseConfig(CONNECTION_URLS)

describe('the deployment files', () => {
  it('run every process of the Procfile with the command from the Procfile', () => {
    const names = processes.map(({ name }) => name)
    // `exec` makes SIGTERM reach the process itself rather than a shell.
    for (const { name, command } of processes) expect(command, name).to.match(/^exec node /)
    expect(services.map(([name]) => name)).to.have.members(names)
    for (const [name, { command }] of services)
      expect(command.join(' '), name).to.equal(findProcfileCommand(name))
    const containers = pods.flatMap((pod) => pod.containers)
    expect(containers.map(({ name }) => name)).to.have.members(names)
    for (const { name, command } of containers)
      expect(command.join(' '), name).to.equal(findProcfileCommand(name))
    expect(units.map(({ name }) => name)).to.have.members(names)
    for (const { file, name, text } of units)
      expect(findUnitCommand(text), file).to.equal(`/usr/bin/${findProcfileCommand(name)}`)
    // Heroku's release phase is not part of the formation.
    expect(Object.keys(appJson.formation)).to.have.members(names.filter((name) => name !== 'release'))
    const [, image = ''] = /^CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? []
    expect((JSON.parse(image) as string[]).join(' ')).to.equal(findProcfileCommand('web'))
  })

  it('document every process, in the order in which a release restarts them', () => {
    const deploying = readText('docs/deploying.md')
    const [, order = ''] =
      /## Deploying a release\n([\s\S]*?)\n## /.exec(readText('docs/operations.md')) ?? []
    for (const { name } of processes) {
      expect(deploying, 'systemd').to.match(new RegExp(`systemctl .*\\bberth-${name}\\b`))
      expect(deploying, 'Kubernetes').to.match(new RegExp(`kubectl .* -f ${name}\\.yaml`))
      expect(order, name).to.include(`\`${name}\``)
    }
  })

  it('keep the processes on Heroku within the connection limit of the Heroku plan', () => {
    const values = Object.entries(appJson.env).flatMap(([name, { value }]) => (value ? [[name, value]] : []))
    const config = parseConfig({ ...CONNECTION_URLS, ...Object.fromEntries(values) })
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

  it('use only settings that exist', () => {
    const known = [...readText('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name)
    const named = [
      ...services.flatMap(([, { environment }]) => Object.keys(environment)),
      ...manifests.flatMap(({ data }) => Object.keys(data ?? {})),
      ...pods.flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env.map(({ name }) => name))),
      ...units.flatMap(
        ({ text }) =>
          listLines(text, 'Environment')
            .join(' ')
            .match(/[A-Z_]+(?==)/g) ?? [],
      ),
      ...units.flatMap(
        ({ text }) =>
          listLines(text, 'ExecStart')
            .join(' ')
            .match(/\b[A-Z_]+(?==)/g) ?? [],
      ),
      ...(readText('deploy/systemd/berth.env').match(/^[A-Z_]+(?==)/gm) ?? []),
      ...Object.keys(appJson.env),
    ]
    expect(named).to.include.members(['DATABASE_URL', 'REDIS_URL', 'TRUST_PROXY', 'PORT'])
    expect(named.filter((name) => !known.includes(name))).to.deep.equal([])
  })

  it('contain every setting from the first part of .env.example', () => {
    const [first = ''] = readText('.env.example').split('# The settings below have defaults')
    const names = [...first.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name)
    expect(names).to.have.members([
      'DATABASE_URL',
      'REDIS_URL',
      'PUBLIC_URL',
      'SMTP_URL',
      'MAIL_FROM',
      'PEOPLE_PAGES',
      'PUSH_PUBLIC_KEY',
      'PUSH_PRIVATE_KEY',
      'PUSH_CONTACT',
      'TRUST_PROXY',
    ])
    const isNamed = (text: string) => (name: string) => new RegExp(`\\b${name}\\b`).test(text)
    for (const file of ['deploy/systemd/berth.env', 'deploy/kubernetes/settings.yaml', 'compose.yaml'])
      expect(names.filter(isNamed(readText(file))), file).to.deep.equal(names)
    // Ignores TRUST_PROXY, which only gateways need, and mail settings, which migrations do not need.
    for (const [name, { environment }] of services)
      expect(Object.keys(environment), name).to.include.members(
        names.filter((each) => each !== 'TRUST_PROXY'),
      )
    // Heroku's add-ons set the connection URLs of Postgres and Redis.
    const ofAddons = ['DATABASE_URL', 'REDIS_URL']
    expect(Object.keys(appJson.env)).to.include.members(names.filter((name) => !ofAddons.includes(name)))
  })

  it('give each process more time to stop than it needs', () => {
    const graces: Array<[what: string, seconds: number]> = [
      ...services.map(([name, each]): [string, number] => [
        name,
        Number.parseInt(each.stop_grace_period, 10),
      ]),
      ...units
        .filter(({ name }) => name !== 'release')
        .map(({ file, text }): [string, number] => [file, Number(listLines(text, 'TimeoutStopSec')[0])]),
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

  it('configure nginx to close idle connections first, and to accept files as large as a gateway accepts', () => {
    const secondsOf = (pattern: RegExp) => [...nginx.matchAll(pattern)].map(([, seconds]) => Number(seconds))
    const [idleSeconds = 0] = secondsOf(/\bkeepalive_timeout (\d+)s;/g)
    expect(idleSeconds * 1_000).to.be.within(1, defaults.lameDuckMs - 1)
    const [megabytes = 0] = secondsOf(/client_max_body_size (\d+)m;/g)
    expect(megabytes * 1024 * 1024).to.be.above(defaults.fileBytesMax)
    expect(nginx).to.match(/^ *proxy_next_upstream error timeout;$/m)
  })

  it('grant database rights once, after the migrations and before the gateways start', () => {
    const [, order = ''] =
      /## Deploying a release\n([\s\S]*?)\n## /.exec(readText('docs/operations.md')) ?? []
    const places = ['1. `release`', '`npm run grants`', '2. `worker`', '3. `web`'].map((text) =>
      order.indexOf(text),
    )
    expect(places).to.deep.equal([...places].sort((one, other) => one - other))
    expect(places).to.not.include(-1)
    expect(readText('docs/operations.md').split('npm run grants` now').length).to.equal(2)
    expect(readText('docs/operations.md')).to.not.match(/grants` again/)
  })

  it('document only commands that exist', () => {
    const pages = ['docs', 'docs/operations/alerts'].flatMap(listFiles).filter((file) => file.endsWith('.md'))
    const actions = pages.flatMap((file) =>
      [...readText(file).matchAll(/npm run migrate -- ?(\S+?)[`\s]/g)].map(([, action]) => action),
    )
    expect(actions).to.include('status')
    for (const action of actions) expect(action).to.be.oneOf(['down', 'status'])
  })

  it('check the health of every long-running process', () => {
    for (const [name, { healthcheck }] of services)
      expect(healthcheck?.disable ?? false, name).to.equal(name === 'release')
    for (const { kind, containers } of pods)
      for (const { name, startupProbe, readinessProbe, livenessProbe, ports = [] } of containers) {
        const probes = [startupProbe, readinessProbe, livenessProbe].map((each) => each?.httpGet)
        const port = ports[0]?.name
        const paths = ['/healthz', '/readyz', '/healthz'].map((path) => ({ path, port }))
        expect(probes, name).to.deep.equal(kind === 'Deployment' ? paths : [undefined, undefined, undefined])
      }
  })

  it('let systemd restart a process every time that it ends', () => {
    for (const { file, name, text } of units)
      if (name !== 'release') {
        expect(listLines(text, 'StartLimitIntervalSec'), file).to.deep.equal(['0'])
        expect(listLines(text, 'Restart'), file).to.deep.equal(['always'])
      }
  })

  it('give each systemd instance its own port, whatever berth.env sets', () => {
    const started = units
      .filter(({ name }) => name !== 'release')
      .map(({ text }) => listLines(text, 'ExecStart').join())
    const ports = started.map((line) => /^\/usr\/bin\/env (?:METRICS_)?PORT=(\d*%i) /.exec(line)?.[1])
    expect(ports).to.not.include(undefined)
    expect(new Set(ports)).to.have.property('size', 4)
  })

  it('pin the versions of container images', () => {
    const images = [
      ...[...readText('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
      ...Object.values(compose.services).map(({ image }) => image),
    ].filter((image) => image !== 'berth')
    expect(images).to.have.length(3 + 2)
    for (const image of images) expect(image).to.match(/^\w+:\d+\.\d+(\.\d+)?(-|$)/)
  })

  it('open only the ports on which processes listen in Kubernetes', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
    const open = policies.flatMap(({ spec }) =>
      spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    )
    const listening = pods.flatMap(({ containers }) =>
      containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)),
    )
    expect(new Set(open)).to.deep.equal(new Set(listening))
    expect(policies.some(({ spec }) => !('process' in spec.podSelector.matchLabels))).to.equal(true)
  })

  it('install the backup scripts where the Postgres settings expect them', () => {
    const [, command = ''] = /archive_command = '(\S+)/.exec(readText('docs/backups.md')) ?? []
    expect(command).to.equal('/opt/berth/deploy/backup/archive-wal.sh')
    expect(compose.services['postgres']?.volumes).to.include('./deploy/backup:/opt/berth/deploy/backup:ro')
    expect(readText('Dockerfile')).to.match(/^COPY deploy\/backup /m)
    expect(readText('.dockerignore').split('\n')).to.include('!deploy/backup')
  })

  it('scale only deployments that exist, by a metric that exists', () => {
    const scaled = manifests.find(({ kind }) => kind === 'ScaledObject') ?? expect.fail('There is none')
    expect(
      manifests.some(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === scaled.spec.scaleTargetRef.name,
      ),
    ).to.equal(true)
    const [metric = ''] = /berth_\w+/.exec(scaled.spec.triggers[0]?.metadata.query ?? '') ?? []
    expect(readText('gateway/server/operations/dependency-metrics.ts')).to.include(`'${metric}'`)
  })

  it('copy into the image only the files that the build and the processes need', () => {
    const ignored = readText('.dockerignore').split('\n')
    const kept = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(ignored).to.include('*')
    const tracked = execFileSync('git', ['ls-files'], { cwd: projectDirectory, encoding: 'utf8' })
    const tops = new Set(tracked.split('\n').map((file) => file.split('/')[0]))
    expect(kept.filter((name) => !tops.has(name.split('/')[0]))).to.deep.equal([])
    const { include } = JSON.parse(readText('tsconfig.build.json')) as { include: string[] }
    expect(kept).to.include.members(include)
    for (const name of ['test', 'docs', '.env', 'node_modules']) expect(kept).to.not.include(name)
  })

  it('contain only valid systemd units', function () {
    const files = listFiles('deploy/systemd').filter((file) => !file.endsWith('.env'))
    const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', ...files], {
      cwd: projectDirectory,
      encoding: 'utf8',
    })
    // Skips the test where systemd-analyze is missing, which only Linux has.
    if (error) return this.skip()
    // The output may also contain complaints about other units of this machine.
    const complaints = stderr.split('\n').filter((line) => line.includes('berth'))
    expect({ status, complaints }).to.deep.equal({ status: 0, complaints: [] })
  })
})
