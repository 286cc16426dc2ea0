// The processes that deploy/ describes, each with the command and the environment that it is given there.
import { randomInt } from 'node:crypto'
import { manifests, pods, readText, services, units } from './files.ts'

export type Described = {
  /** As the Procfile names it. */
  name: string
  command: string
  environment: Record<string, string>
  /** Where Prometheus is led to, if it is said. */
  scrapedPort?: string | undefined
}

type Addresses = { DATABASE_URL: string; REDIS_URL: string }

const NODE = /\/usr\/bin\/node\b/
const ADDRESS = /^(DATABASE_URL|REDIS_URL)=.*$/gm

/** An address of this machine that nobody else listens on: a container has one of its own. */
const newHost = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`

const readEnvironment = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

/** On one machine, the instances that docs/deploying.md starts, with a berth.env that is made from .env.example. */
export function describeUnits(addresses: Addresses): Described[] {
  const file = `${readText('.env.example').replace(/^#(PORT|METRICS_PORT)=/gm, '$1=')}\nHOST=${newHost()}`
  const settings = { ...readEnvironment(file.replace(ADDRESS, '')), ...addresses }
  const [, line = ''] =
    /systemctl enable --now berth\.target (.*)$/m.exec(readText('docs/deploying.md')) ?? []
  return line.split(' ').map((instance) => {
    const [, name = '', i = ''] = /^berth-(\w+)@(\w+)$/.exec(instance) ?? []
    const text = (units.find((unit) => unit.name === name)?.text ?? '').replaceAll('%i', i)
    const [, given = ''] = /^Environment=(.*)$/m.exec(text) ?? []
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
    // What a file says beats what the unit says: systemd.exec(5).
    const environment = { ...readEnvironment(given.replaceAll(' ', '\n')), ...settings }
    return { name, command: start.replace(NODE, process.execPath), environment }
  })
}

export function describeServices(addresses: Addresses): Described[] {
  return services
    .filter(([name]) => name !== 'release')
    .map(([name, { command, environment }]) => ({
      name,
      command: command.join(' '),
      environment: { ...withDefaults(environment), ...addresses, HOST: newHost() },
    }))
}

/** Fills in unset variables as Compose does. */
const withDefaults = (environment: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  )

export function describePods(addresses: Addresses): Described[] {
  const shared = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
  return pods
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ containers, annotations }) =>
      containers.map(({ name, command, env = [] }) => ({
        name,
        command: command.join(' '),
        environment: {
          ...shared,
          ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
          ...addresses,
          HOST: newHost(),
        },
        scrapedPort:
          annotations?.['prometheus.io/scrape'] === 'true' ? annotations['prometheus.io/port'] : undefined,
      })),
    )
}
