// Lists the processes that deploy/ describes, each with its command and environment.
import { randomInt } from 'node:crypto'
import { manifests, pods, readText, services, units } from './files.ts'

export type DescribedProcess = {
  /** The name in the Procfile. */
  name: string
  command: string
  environment: Record<string, string>
  /** The port that Prometheus scrapes, if there is one. */
  scrapedPort?: string | undefined
}

type Addresses = { DATABASE_URL: string; REDIS_URL: string }

const NODE_PATH_PATTERN = /\/usr\/bin\/node\b/
const CONNECTION_URL_PATTERN = /^(DATABASE_URL|REDIS_URL)=.*$/gm

/** Returns an unused loopback address. It stands for the address of a container. */
const createLoopbackAddress = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`

const readEnvironment = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

/**
 * Returns the systemd instances that docs/deploying.md runs on one machine, with a berth.env made from .env.example.
 */
export function describeUnits(addresses: Addresses): DescribedProcess[] {
  const file = `${readText('.env.example').replace(/^#(PORT|METRICS_PORT)=/gm, '$1=')}\nHOST=${createLoopbackAddress()}`
  const settings = { ...readEnvironment(file.replace(CONNECTION_URL_PATTERN, '')), ...addresses }
  const [, line = ''] =
    /systemctl enable --now berth\.target (.*)$/m.exec(readText('docs/deploying.md')) ?? []
  return line.split(' ').map((instance) => {
    const [, name = '', i = ''] = /^berth-(\w+)@(\w+)$/.exec(instance) ?? []
    const text = (units.find((unit) => unit.name === name)?.text ?? '').replaceAll('%i', i)
    const [, given = ''] = /^Environment=(.*)$/m.exec(text) ?? []
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
    // Settings in an environment file override the settings in the unit: systemd.exec(5).
    const environment = { ...readEnvironment(given.replaceAll(' ', '\n')), ...settings }
    return { name, command: start.replace(NODE_PATH_PATTERN, process.execPath), environment }
  })
}

export function describeServices(addresses: Addresses): DescribedProcess[] {
  return services
    .filter(([name]) => name !== 'release')
    .map(([name, { command, environment }]) => ({
      name,
      command: command.join(' '),
      environment: { ...withDefaults(environment), ...addresses, HOST: createLoopbackAddress() },
    }))
}

/** Replaces unset variables with their defaults, like Compose. */
const withDefaults = (environment: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  )

export function describePods(addresses: Addresses): DescribedProcess[] {
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
          HOST: createLoopbackAddress(),
        },
        scrapedPort:
          annotations?.['prometheus.io/scrape'] === 'true' ? annotations['prometheus.io/port'] : undefined,
      })),
    )
}
