{{- /* SPDX-License-Identifier: Apache-2.0

The manifests are those of examples/deploy/base and components, which lie in files/. Here they are
read, changed as the values say, and shown. */ -}}

{{- /* The documents of a file: root, file. The base's are labelled, the components' are not. */ -}}
{{- define "sluice.documents" -}}
{{- $root := .root }}
{{- $text := .root.Files.Get .file }}
{{- if not $text }}{{ fail (printf "%s is not in the chart" .file) }}{{ end }}
{{- range splitList "\n---\n" $text }}
{{- $document := fromYaml . }}
{{- if not $document.kind }}{{ fail (printf "%s cannot be read: %v" $.file $document) }}{{ end }}
{{- include "sluice.change" (dict "root" $root "document" $document) }}
---
{{ if hasPrefix "files/base/" $.file }}{{ include "sluice.labelled" $document }}{{ else }}{{ toYaml $document }}{{ end }}
{{- end }}
{{- end }}

{{- define "sluice.labelled" -}}
{{- $labels := .metadata.labels | default dict }}
{{- $_ := set .metadata "labels" (merge (dict "app.kubernetes.io/part-of" "sluice") $labels) }}
{{- toYaml . }}
{{- end }}

{{- /* What the values say of a policy, its binding or a webhook, in place. */ -}}
{{- define "sluice.change" -}}
{{- $values := .root.Values }}
{{- $document := .document }}
{{- if and (eq $document.metadata.name "sluice-pods-created") (or $values.observeOnly $values.webhook.gate) }}
{{- $_ := unset $document.spec.matchResources "objectSelector" }}
{{- end }}
{{- range concat (list ($document.spec | default dict)) ($document.webhooks | default list) }}
{{- $conditions := list }}
{{- range .matchConditions }}
{{- if eq .name "our-scheduler" }}
{{- $_ := set . "expression" (replace "'sluice-scheduler'" (squote $values.schedulerName) .expression) }}
{{- end }}
{{- if not (and (eq .name "obeys-the-queues") (eq $values.manage "all")) }}
{{- $conditions = append $conditions . }}
{{- end }}
{{- end }}
{{- if and $values.observeOnly (has $document.metadata.name (list "sluice-gate" "sluice-command"))
  (hasSuffix "AdmissionPolicy" $document.kind) }}
{{- $nobody := dict "name" "observing-only" "expression" "false" }}
{{- $conditions = concat (list (first $conditions) $nobody) (rest $conditions) }}
{{- end }}
{{- if and $values.observeOnly (eq $document.metadata.name "sluice-pods") .validations }}
{{- $validations := list }}
{{- range .validations }}
{{- if ne (.reason | default "") "Invalid" }}{{ $validations = append $validations . }}{{ end }}
{{- end }}
{{- $_ := set . "validations" $validations }}
{{- end }}
{{- if $conditions }}{{ $_ := set . "matchConditions" $conditions }}{{ end }}
{{- end }}
{{- end }}

{{- /* The scheduler's configuration: the base's, with what the values say. */ -}}
{{- define "sluice.config" -}}
{{- $values := .Values }}
{{- $config := fromYaml (.Files.Get "files/base/config.yaml") }}
{{- $profile := first $config.profiles }}
{{- $_ := set $profile "schedulerName" $values.schedulerName }}
{{- $removal := ternary "onAdmission" $values.removal $values.observeOnly }}
{{- if eq $removal "onAdmission" }}{{ $_ := unset $profile.plugins "preEnqueue" }}{{ end }}
{{- $args := dict "removal" $removal }}
{{- if eq $values.manage "all" }}{{ $_ := set $args "manage" "all" }}{{ end }}
{{- range list "preempt" "observeOnly" "workloads" "nativeMinimums" }}
{{- if index $values . }}{{ $_ := set $args . true }}{{ end }}
{{- end }}
{{- if $values.workloads }}{{ $_ := set $args "preemptionGates" true }}{{ end }}
{{- if $values.webhook.enabled }}{{ $_ := set $args "webhook" dict }}{{ end }}
{{- $_ := set (first $profile.pluginConfig) "args" (mergeOverwrite $args (deepCopy $values.args)) }}
{{- toYaml $config }}
{{- end }}

{{- define "sluice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end }}
