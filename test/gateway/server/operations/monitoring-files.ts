// Reads the monitoring files for operators: alerts, their pages, and the dashboard for Grafana.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../../local/tools/folders.ts'

export const MONITORING_FOLDER = join(projectDirectory, 'docs/operations')

export type Dashboard = {
  uid: string
  schemaVersion: number
  panels: Array<{
    id: number
    title: string
    gridPos: { h: number; w: number; x: number; y: number }
    targets?: Array<{ expr: string }>
  }>
}

export const readMonitoring = (file: string) => readFileSync(join(MONITORING_FOLDER, file), 'utf8')

export const readDashboard = () => JSON.parse(readMonitoring('dashboard.json')) as Dashboard

export const listExpressions = ({ panels }: Dashboard) =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Returns the names of all alerts with their documentation pages. */
export function readAlerts(): Array<{ name: string; page: string }> {
  const found = readMonitoring('alerts.yml').matchAll(
    /- alert: (\w+)[\s\S]*?runbook: docs\/operations\/(\S+)/g,
  )
  return [...found].map(([, name = '', page = '']) => ({ name, page }))
}

export const listPages = () => readdirSync(join(MONITORING_FOLDER, 'alerts')).map((file) => `alerts/${file}`)

/** Returns the metrics that an expression uses, with the labels that it filters by. */
export function findMetrics(text: string): Array<{ name: string; labels: string[] }> {
  const found = text.matchAll(/\b((?:berth|nodejs|process)_[a-z_0-9]+)(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', selector = '']) => {
    const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
    // Prometheus itself adds the labels `instance` and `job`. The label `le` belongs to every histogram.
    return { name, labels: labels.filter((label) => !['instance', 'job', 'le'].includes(label)) }
  })
}
