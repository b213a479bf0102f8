// The same from CommonJS.

import keystead = require('keystead')
import { Cluster } from 'keystead'

const cluster: keystead.Cluster = new Cluster(['cache-a'])
const owner: string = new keystead.Cluster(cluster.nodes).owner('user:42')

export = owner
