// nginx as deploy/nginx/berth.conf has it, with the ports, the certificate and the log of a test.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { findFreePort } from '../../../local/tools/ports.ts'
import { eventually } from '../../support/time.ts'

export const EXAMPLE = join(projectDirectory, 'deploy/nginx/berth.conf')

export type Nginx = {
  url: string
  /** Of its certificate. */
  authority: string
  stop(): Promise<void>
}

export async function startNginx(folder: string, gatewayPorts: [number, number]): Promise<Nginx> {
  for (const program of ['nginx', 'openssl'])
    if (spawnSync(program, ['-h']).error)
      throw new Error(`There is no ${program}. Install it, on Debian: apt-get install nginx-light openssl`)
  const [plainPort, port] = [await findFreePort(), await findFreePort()]
  const [certificate, key] = createCertificate(folder)
  const site = replaceOnce(readFileSync(EXAMPLE, 'utf8'), [
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
  writeFileSync(main, mainFile(folder))
  const log = ['-e', join(folder, 'error.log')]
  execFileSync('nginx', ['-t', '-q', '-c', main, ...log], { stdio: 'pipe' })
  const child = spawn('nginx', ['-c', main, ...log], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  await eventually(() => fetch(`http://127.0.0.1:${plainPort}`, { redirect: 'manual' }))
  return {
    url: `https://127.0.0.1:${port}`,
    authority: certificate,
    async stop() {
      child.kill('SIGQUIT')
      await ended
    },
  }
}

function createCertificate(folder: string): [certificate: string, key: string] {
  const [certificate, key] = [join(folder, 'berth.crt'), join(folder, 'berth.key')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', '/CN=berth', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  execFileSync('openssl', [...request, ...subject, '-out', certificate, '-keyout', key], { stdio: 'pipe' })
  return [certificate, key]
}

/** What stands around a site in Debian's nginx.conf, as far as it matters. */
function mainFile(folder: string): string {
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

/** Each must be there once, else the example would be another one than what is tried. */
function replaceOnce(text: string, replacements: Array<[find: string, replace: string]>): string {
  return replacements.reduce((changed, [find, replace]) => {
    const parts = changed.split(find)
    if (parts.length !== 2) throw new Error(`“${find}” is ${parts.length - 1} times in ${EXAMPLE}`)
    return parts.join(replace)
  }, text)
}
