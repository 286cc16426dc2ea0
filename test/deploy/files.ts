// Reads the deployment files for tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { parseProcfile } from '../../local/processes/supervise-process.ts'
import { projectDirectory } from '../../local/tools/folders.ts'

export type Named<Value> = Record<string, Value>
export type ProbedContainer = { exec?: { command: string[] }; httpGet?: { path: string; port: string } }
export type Container = {
  name: string
  command: string[]
  env?: Array<{ name: string; value: string }>
  ports?: Array<{ name: string; containerPort: number }>
  startupProbe?: ProbedContainer
  readinessProbe?: ProbedContainer
  livenessProbe?: ProbedContainer
  lifecycle?: { preStop: ProbedContainer }
}
export type Pod = { terminationGracePeriodSeconds?: number; containers: Container[] }
export type Manifest = {
  kind: string
  metadata: { name: string }
  data?: Named<string>
  spec: {
    template: { metadata: { annotations?: Named<string> }; spec: Pod }
    scaleTargetRef: { name: string }
    triggers: Array<{ metadata: Named<string> }>
    podSelector: { matchLabels: Named<string> }
    ingress: Array<{ ports: Array<{ port: number }> }>
    rules: Array<{ http: { paths: Array<{ path: string; pathType: string }> } }>
  }
}
export type Service = {
  image: string
  command: string[]
  environment: Named<string>
  stop_grace_period: string
  volumes?: string[]
  healthcheck?: { disable?: boolean }
}

export const readText = (file: string) => readFileSync(join(projectDirectory, file), 'utf8')
export const listFiles = (folder: string) =>
  readdirSync(join(projectDirectory, folder)).map((name) => join(folder, name))
export const listLines = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

export const processes = parseProcfile(readText('Procfile'))
export const findProcfileCommand = (name: string) =>
  processes.find((each) => each.name === name)?.command.replace(/^exec /, '') ?? `There is no ${name}`

export const compose = parse(readText('compose.yaml'), { merge: true }) as { services: Named<Service> }
export const services = Object.entries(compose.services).filter(([, { image }]) => image === 'berth')
export const manifests = listFiles('deploy/kubernetes').flatMap((file) =>
  parseAllDocuments(readText(file)).map((document) => document.toJS() as Manifest),
)
export const pods = manifests.flatMap(({ kind, spec }) =>
  kind === 'Deployment' || kind === 'Job'
    ? [{ kind, annotations: spec.template.metadata?.annotations, ...spec.template.spec }]
    : [],
)
export const units = listFiles('deploy/systemd')
  .filter((file) => file.endsWith('.service'))
  .map((file) => ({ file, name: /berth-(\w+)/.exec(file)?.[1] ?? '', text: readText(file) }))
export const appJson = JSON.parse(readText('app.json')) as {
  env: Named<{ value?: string }>
  addons: string[]
  formation: Named<{ quantity: number }>
}
export const nginx = readText('deploy/nginx/berth.conf')

/** The command of a unit, without the variables that it sets on top of berth.env. */
export const findUnitCommand = (text: string) =>
  listLines(text, 'ExecStart')
    .join('')
    .replace(/^\/usr\/bin\/env (?:[A-Z_]+=\S+ )+/, '')
