"""Tests of what names in tables of others mean: direction of a measure, role of a column, model or not.

Directions are from the publications and programs named beside the names in `columns.toml`.
"""

import pytest

from stats_core.io.vocabulary import (
    OTHER_MEASURES,
    direction_of,
    guess_roles,
    known_cost,
    known_measure,
    model_among,
)

HIGHER = """pass@1 pass@10 pass_at_1 pass@k pass^k maj@8 cons@64 exact_match resolved win_rate acc_norm bleu chrF chrF++ BERTScore
    ROUGE-L rougeLsum COMET prompt_level_strict_acc ndcg@10 nDCG_10 ndcg_cut_10 map_at_100 MRR@10 recall@k recall_at_5 bpref
    Rprec infAP ERR@20 nERR@20 P@10 R@1 hit@k HR@10 Hits@3 hit_at_10 AUC@0.1 PESQ stoi SI-SDR utmos DNSMOS Dice dice_et DSC_liver IoU
    mIoU NSD PSNR SSIM MS-SSIM AP50 ap75 mAP@0.5 mAP@[.5:.95] mAP50-95 metrics/mAP50-95(B) test_ap AP@IoU=0.5 PQ(%) acc1 Acc@5 top1
    top5_acc inception_score CLIPScore HOTA MOTA IDF1 return episode_return episodic_return mean_reward ep_rew_mean
    rollout/ep_rew_mean eval/mean_reward charts/episodic_return success_rate normalized_score C-index c_index harrell_c ARI NMI
    AMI v_measure calinski_harabasz_score silhouette_score VUS-PR vus_roc R_AUC_ROC PA-F1 Affiliation-F AUCPR
    demographic_parity_ratio hypervolume forward_transfer tokens_per_second nse qwk TPR@FPR=0.01 Accuracy\u2191""".split()
LOWER = """WER CER mer EER min_dcf cpWER perplexity word_perplexity bits_per_byte TER HD95 hd95_liver ASSD hausdorff_distance HD(mm)
    LPIPS FID KID FVD NIQE abs_rel MPJPE cumulative_regret optimality_gap forgetting MASE MASE[0.5] eval_metrics/MASE[0.5]
    MSIS sMAPE WAPE ND(%) NRMSE OWA CRPS crps_sum WQL mean_weighted_sum_quantile_loss mean_wQuantileLoss pinball_loss RMSSE
    WRMSSE energy_score weighted_interval_score IBS integrated_brier_score davies_bouldin_score ECE MCE adaptive_ece ACE(%)
    AURC equalized_odds_difference demographic_parity_difference FPR@95 FPR@95TPR FPR95 PEHE SHD IGD PAR10 test_der FID\u2193""".split()
# sizes, settings, numbers of rows, names with another meaning, and measures whose direction depends on their use
WITHOUT = """lr n size temperature seed rank params param_count n_params batch_size max_depth id index year k gamma alpha is is_test ap
    sr nd er der mos hd ace hr pq coverage refusal_rate toxicity novelty gini attack_success_rate disparate_impact bias
    top_k top_p n_shots looking_at_5 data@2 x^2 width snr fps threshold p_value subject""".split()


@pytest.mark.parametrize(
    ("name", "direction"),
    [(n, "higher") for n in HIGHER] + [(n, "lower") for n in LOWER] + [(n, "") for n in WITHOUT],
)
def test_a_name_has_the_direction_of_its_definition(name, direction):
    assert direction_of(name) == direction


def test_names_of_measures_are_not_costs():
    assert [n for n in (*HIGHER, *LOWER, *OTHER_MEASURES) if known_cost(n)] == []


def test_a_measure_that_is_no_rate_keeps_the_name_of_the_file():
    names = [n for n in OTHER_MEASURES if known_measure(n) != (n, OTHER_MEASURES[n])]
    assert names == []


MODELS = """ViT-B/16 ConvNeXt-T ResNet50 VGG16 CLIP-ViT OpenCLIP SigLIP U-Net nnU-Net YOLOv8n Swin-L DeiT FLAN-T5 GPT-4o
    Llama-3-8B Qwen2.5-7B MiniLM all-mpnet-base LaBSE bge-large PPO SAC DQN A2C TD3 DDPG TRPO Informer Autoformer DLinear
    chronos-bolt Moirai TimesFM TimesNet iTransformer IForest OCSVM ABOD HBOS COPOD ECOD DeepSurv CoxPH RSF TabPFN TabNet
    FT-Transformer RealMLP wav2vec2 LightGCN FedAvg BM25""".split()
NO_MODELS = """iris wine adult albert node saint bloom opt clip_001 phi falcon t1 e5 mmlu gsm8k ECG200 GunPoint Ant-v2 Pong
    HumanEval cifar10 mice canary""".split()


@pytest.mark.parametrize("name", MODELS)
def test_a_label_names_a_model(name):
    assert model_among([name]) == name


@pytest.mark.parametrize("name", NO_MODELS)
def test_a_label_does_not_name_a_model(name):
    assert model_among([name]) == ""


def test_words_with_another_meaning_name_models_beside_models():
    assert model_among(["NODE", "SAINT", "TabNet", "adult"]) == "NODE"
    assert model_among(["node", "saint", "edge"]) == ""


@pytest.mark.parametrize("name", ["env", "env_id", "Environment", "game"])
def test_an_environment_is_a_data_set_unless_another_column_is(name):
    assert guess_roles([name, "algo", "seed", "return"])[name] == "dataset"
    assert name not in guess_roles([name, "dataset", "algo", "return"])
