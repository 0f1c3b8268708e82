{{- define "sluice.name" -}}
{{- if contains "sluice" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-sluice{{ end -}}
{{- end }}

{{/* Of a pod; takes the root and a component. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "sluice.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "sluice.labels" . | nindent 2 }}
{{- end }}

{{- define "sluice.ownRedis" -}}
{{- if and .Values.redis.enabled .Values.redis.own (not .Values.redis.url) }}yes{{ end -}}
{{- end }}

{{/* Addresses of the processes behind nginx, divided by spaces; each stays when its pod is made anew, since nginx reads them once. */}}
{{- define "sluice.backs" -}}
{{- $name := include "sluice.name" . }}
{{- if .Values.redis.enabled }}
{{- range $i := until (include "sluice.mostWorkers" . | int) }}{{ $name }}-worker-{{ $i }} {{ end }}
{{- else }}{{ $name }}-single{{ end }}
{{- end }}

{{- define "sluice.redisUrl" -}}
{{- if .Values.redis.url }}{{ .Values.redis.url }}
{{- else if include "sluice.ownRedis" . }}redis://{{ include "sluice.name" . }}-redis:6379
{{- else if not .Values.existingSecret }}{{ fail "redis.url or existingSecret must tell where Redis is, or redis.own be true" }}
{{- end }}
{{- end }}

{{/* Number of workers that nginx knows by name. */}}
{{- define "sluice.mostWorkers" -}}
{{- with .Values.workers }}{{ ternary (max .replicas .autoscaling.maxReplicas) .replicas .autoscaling.enabled }}{{ end }}
{{- end }}

{{/* Seconds in which endpoints of a pod that ends are forgotten. */}}
{{- define "sluice.drainSeconds" -}}5{{- end }}

{{/* A pod of the service. Takes root, component, env, resources, and whether it has a /data of its own. */}}
{{- define "sluice.pod" -}}
metadata:
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
  annotations:
    # Other addresses of nodes take new processes.
    checksum/secret: {{ include (print .root.Template.BasePath "/secret.yaml") .root | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "sluice.podSettings" (dict "root" .root "component" .component "user" 1000) | nindent 2 }}
  {{- $grace := int (dig "SHUTDOWN_GRACE_MS" 10000 .root.Values.env) }}
  terminationGracePeriodSeconds: {{ add (include "sluice.drainSeconds" .root | int) (div (add $grace 999) 1000) 5 }}
  containers:
    - name: sluice
      image: {{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      ports: [{ name: http, containerPort: 3000 }, { name: metrics, containerPort: 9464 }]
      # nginx stands in front: what it says of callers counts, and nothing before it.
      env:
        {{- range $name, $value := merge (dict "PORT" "3000" "METRICS_PORT" "9464" "METRICS_HOST" "0.0.0.0" "TRUST_PROXY" "1") .env .root.Values.env }}
        - { name: {{ $name }}, value: {{ toString $value | quote }} }
        {{- end }}
      envFrom:
        - secretRef: { name: {{ include "sluice.name" .root }} }
        {{- with .root.Values.existingSecret }}
        - secretRef: { name: {{ . }} }
        {{- end }}
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 1
        failureThreshold: 60
      # A process whose event loop hangs, and nothing else: what nodes or Redis do is no reason to start anew.
      livenessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      lifecycle:
        # It answers on while it is still asked.
        preStop:
          exec: { command: [node, -e, 'setTimeout(() => {}, {{ include "sluice.drainSeconds" .root }}_000)'] }
      resources:
        {{- toYaml .resources | nindent 8 }}
      {{- include "sluice.container" . | nindent 6 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if .hasData }}
        - { name: data, mountPath: /data }
        {{- end }}
        {{- with .root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if and .hasData (not .root.Values.single.storage.enabled) }}
    - { name: data, emptyDir: {} }
    {{- end }}
    {{- with .root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* What all pods have in common. Takes root, component, and the number of a user without rights. */}}
{{- define "sluice.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "sluice.selector" . | nindent 8 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "sluice.container" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
{{- end }}

{{/* A disk. Takes size and className. */}}
{{- define "sluice.claims" -}}
volumeClaimTemplates:
  - metadata: { name: data }
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .className }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ .size }} } }
{{- end }}
