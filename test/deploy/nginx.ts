// Runs nginx with deploy/nginx/berth.conf, and with the ports, the certificate and the log of a test.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { projectDirectory } from '../../local/tools/folders.ts'
import { findFreePort } from '../../local/tools/ports.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'

export const EXAMPLE_CONFIG_PATH = join(projectDirectory, 'deploy/nginx/berth.conf')

export type Nginx = {
  url: string
  /** The certificate of the authority that signed nginx's certificate. */
  authority: string
  /** Returns the lines of nginx's access log. */
  readAccessLog(): string
  stop(): Promise<void>
}

const INSTALL_COMMAND = 'apt-get install nginx-light openssl'

const isMissing = (program: string) => spawnSync(program, ['-h']).error !== undefined

/** Starts nginx for a suite. Without nginx the suite is skipped with a notice. */
export function useNginx(gatewayPorts: () => [number, number]): Nginx {
  before(function () {
    if (!['nginx', 'openssl'].some(isMissing)) return
    console.log(`\n  NO NGINX: the tests behind nginx are SKIPPED (${INSTALL_COMMAND}).\n`)
    this.skip()
  })
  const folder = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-nginx-')) }), {
    close: ({ path }) => rm(path, { recursive: true }),
  })
  return use(() => startNginx(folder.path, gatewayPorts()), { close: (made) => made.stop() })
}

export async function startNginx(folder: string, gatewayPorts: [number, number]): Promise<Nginx> {
  for (const program of ['nginx', 'openssl'])
    if (isMissing(program))
      throw new Error(`There is no ${program}. Install it, on Debian: ${INSTALL_COMMAND}`)
  const [plainPort, port] = [await findFreePort(), await findFreePort()]
  const [certificate, key] = createCertificate(folder)
  const site = replaceOnce(readFileSync(EXAMPLE_CONFIG_PATH, 'utf8'), [
    ['server 127.0.0.1:3001 ', `server 127.0.0.1:${gatewayPorts[0]} `],
    ['server 127.0.0.1:3002 ', `server 127.0.0.1:${gatewayPorts[1]} `],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['/etc/nginx/berth.crt', certificate],
    ['/etc/nginx/berth.key', key],
    ['/var/log/nginx/berth.log', join(folder, 'access.log')],
  ])
  writeFileSync(join(folder, 'berth.conf'), site)
  const main = join(folder, 'nginx.conf')
  writeFileSync(main, createMainConfig(folder))
  const log = ['-e', join(folder, 'error.log')]
  execFileSync('nginx', ['-t', '-q', '-c', main, ...log], { stdio: 'pipe' })
  const child = spawn('nginx', ['-c', main, ...log], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  await eventually(() => fetch(`http://127.0.0.1:${plainPort}`, { redirect: 'manual' }))
  return {
    url: `https://127.0.0.1:${port}`,
    authority: certificate,
    readAccessLog: () => readFileSync(join(folder, 'access.log'), 'utf8'),
    async stop() {
      child.kill('SIGQUIT')
      await ended
    },
  }
}

type RequestOptions = { token?: string; body?: string; cookie?: string }
export type ApiAnswer = { status: number; head: string; text: string }

/** Sends a path exactly as given, unlike fetch, which would normalize the path. */
export function askNginx(
  { url, authority }: Nginx,
  method: string,
  path: string,
  { token = '', body = '', cookie = '' }: RequestOptions = {},
): Promise<ApiAnswer> {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...(cookie ? [`Cookie: ${cookie}`] : []),
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return new Promise((resolve, reject) => {
    const ca = readFileSync(authority)
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca })
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => {
      const [answeredHead = '', ...rest] = answer.split('\r\n\r\n')
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1])
      resolve({ status, head: answeredHead, text: rest.join('\r\n\r\n') })
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function createCertificate(folder: string): [certificate: string, key: string] {
  const [certificate, key] = [join(folder, 'berth.crt'), join(folder, 'berth.key')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', '/CN=berth', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  execFileSync('openssl', [...request, ...subject, '-out', certificate, '-keyout', key], { stdio: 'pipe' })
  return [certificate, key]
}

/** Returns an nginx.conf with those parts of Debian's file that matter for the tests. */
function createMainConfig(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 2;
    pid ${folder}/nginx.pid;
    events { worker_connections 768; }
    http { ${temporary.join(' ')} include ${folder}/berth.conf; }`
}

/** Replaces texts in the example configuration, each of which must occur exactly once. */
function replaceOnce(text: string, replacements: Array<[find: string, replace: string]>): string {
  return replacements.reduce((changed, [find, replace]) => {
    const parts = changed.split(find)
    if (parts.length !== 2)
      throw new Error(`“${find}” is ${parts.length - 1} times in ${EXAMPLE_CONFIG_PATH}`)
    return parts.join(replace)
  }, text)
}
